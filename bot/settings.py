"""Settings from the environment (or `.env`), each documented in `.env.example`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="SUANLI_", env_file=".env", extra="ignore", populate_by_name=True)

    knowledge: Path | None = None  # an own copy of knowledge/, layered over the packaged one
    catalog: Path = Path("var/catalog")  # where `suanli catalog import` keeps price snapshots, layered over knowledge/
    blocks: Literal["rich", "plain"] = "rich"  # plain: monospace tables, for clients that draw no native ones
    faq_encoder: bool = False  # FAQ search by meaning beside words; needs the extra `encoder` and 230 MB more memory
    log_level: str = "INFO"
    database_url: str = Field(
        "sqlite:///var/suanli.db", validation_alias=AliasChoices("DATABASE_URL", "SUANLI_DATABASE_URL")
    )
    slack_bot_token: SecretStr | None = Field(None, validation_alias="SLACK_BOT_TOKEN")
    slack_app_token: SecretStr | None = Field(None, validation_alias="SLACK_APP_TOKEN")
    slack_signing_secret: SecretStr | None = Field(None, validation_alias="SLACK_SIGNING_SECRET")
    slack_api_url: str = Field("https://slack.com/api/", validation_alias="SLACK_API_URL")
