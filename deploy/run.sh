#!/bin/sh
# `make run`: Slack when tokens are set (in the environment or .env); else a local Slack; elsewhere a chat here.
set -eu
cd "$(dirname "$0")/.."
tokens=$(.venv/bin/python -c '
from bot.settings import Settings
s = Settings()
print("yes" if s.slack_bot_token and (s.slack_app_token or s.slack_signing_secret) else "no")')
if [ "$tokens" = yes ]; then
    echo "Connecting to Slack. Ctrl-C stops."
    exec .venv/bin/suanli serve
fi
echo "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are not set, so this starts a local Slack (README, \"In Slack\", sets them)."
if program=$(deploy/local-slack/install.sh); then
    exec deploy/local-slack/start.sh "$program"
fi
echo "No local Slack here, so this is a chat in the terminal."
exec .venv/bin/suanli chat
