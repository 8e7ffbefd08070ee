#!/bin/sh
# The local Slack at http://127.0.0.1:PORT and the bot beside it, until Ctrl-C. Usage: start.sh PROGRAM_OF_LOCAL_SLACK
#
# The local Slack runs in a network namespace of its own and is reached through two relays, so that nobody outside this
# machine can. Where namespaces or socat are missing it says that it is open to the network, and starts all the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=$1
port=${PORT:-3100}
work=$(mktemp -d)
pids=

stop() {
    trap - EXIT INT TERM
    for pid in $pids; do kill -9 "$pid" 2>/dev/null || true; done  # unshare ignores SIGTERM and takes its children along
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 0' INT TERM

if "$here/in_namespace.sh" true 2>/dev/null && command -v socat >/dev/null; then
    "$here/in_namespace.sh" sh -c "'$program' --config '$here/local-slack.yaml' --port $port --base-host 127.0.0.1 \
        & exec socat UNIX-LISTEN:'$work/slack.sock',fork TCP:127.0.0.1:$port" >"$work/slack.log" 2>&1 &
    pids="$pids $!"
    socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" "UNIX-CONNECT:$work/slack.sock" 2>/dev/null &
    pids="$pids $!"
else
    echo "Note: the local Slack is open to this machine's network, on port $port: network namespaces (unshare -rn),"
    echo "ip or socat are missing here. Do not type anything private into it."
    "$program" --config "$here/local-slack.yaml" --port "$port" --base-host 127.0.0.1 >"$work/slack.log" 2>&1 &
    pids="$pids $!"
fi

# A proxy for the outside world would be asked for 127.0.0.1 too: the socket client reads no exceptions.
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy
"$root/.venv/bin/python" - "$port" <<'PYTHON'
import sys, time, urllib.request
for _ in range(100):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/", timeout=2)
        sys.exit(0)
    except OSError:
        time.sleep(0.1)
sys.exit(f"the local Slack did not start on port {sys.argv[1]}; is the port taken? PORT=3200 make run takes another")
PYTHON

echo
echo "  Open  http://127.0.0.1:$port  and type into #gpu-questions, for instance"
echo "        /gpu can A100 80G fine-tune a 70B model?"
echo "        @suanli 8 卡 A100 能微调 70B 吗"
echo "  Ctrl-C stops both. Nothing of this reaches Slack itself."
echo
cd "$root"
SLACK_BOT_TOKEN=xoxb-local SLACK_APP_TOKEN=xapp-local SLACK_API_URL="http://127.0.0.1:$port/api/" \
    SUANLI_BLOCKS=plain DATABASE_URL="${DATABASE_URL:-sqlite:///var/local-slack.db}" SUANLI_LOG_LEVEL="${SUANLI_LOG_LEVEL:-WARNING}" \
    .venv/bin/suanli serve &
bot=$!
pids="$pids $bot"
wait "$bot"
