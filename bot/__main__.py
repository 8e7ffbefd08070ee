"""`python -m bot` is `suanli`."""

from bot.cli import main

main()
