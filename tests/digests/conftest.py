from tests.storage.conftest import database, empty_database, postgres_server, postgres_url

__all__ = ["database", "empty_database", "postgres_server", "postgres_url"]
