#!/bin/sh
# Installs the local Slack beside this file and prints the path of its program; exits with 1 where it cannot run.
here=$(cd "$(dirname "$0")" && pwd)
program="$here/node_modules/local-slack-linux-x64/bin/local-slack"
if [ ! -x "$program" ]; then
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || { echo "the local Slack runs on Linux x86-64 only" >&2; exit 1; }
    command -v npm >/dev/null || { echo "the local Slack needs npm to be installed" >&2; exit 1; }
    (cd "$here" && npm install --silent --no-package-lock --no-audit --no-fund) >&2 || {
        echo "npm could not install the local Slack" >&2; exit 1; }
fi
echo "$program"
