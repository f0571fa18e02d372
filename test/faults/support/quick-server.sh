# A server that starts within a millisecond or two, for rows that need hundreds of starts.
# Start: sh quick-server.sh FOLDER NAME [stubborn|family|leaves|dies|unread|greedy|bomb]
# Every start adds "start NAME PID" to FOLDER/quick.log, every call "call NAME PID ID" before it is answered.
#   stubborn: ignores the end of its input and SIGTERM.   family: has a child that holds its pipes.
#   leaves: exits without an answer when a call arrives.   dies: exits right after the handshake.
#   greedy: allocates memory at every call until its limit.   bomb: starts 200 processes at every call and exits.
#   devours: like greedy, but without a limit of its own.
#   unread: stops reading after its first call while FOLDER/unread exists.
folder=$1
name=$2
mode=$3
log="$folder/quick.log"
echo "start $name $$" >> "$log"

if [ "$mode" = stubborn ]; then trap '' TERM INT HUP; fi
if [ "$mode" = family ]; then
  sleep 1000 &
  echo "child $name $!" >> "$log"
fi

answer() {
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"
}

while IFS= read -r line; do
  rest=${line#*\"id\":}
  if [ "$rest" = "$line" ]; then
    if [ "$mode" = dies ]; then exit 9; fi
    continue
  fi
  id=${rest%%[,\}]*}
  case "$line" in
    *'"method":"initialize"'*)
      answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"quick","version":"1.0.0"}}' ;;
    *'"method":"tools/list"'*)
      answer '"result":{"tools":[{"name":"who","description":"Says who answers.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"hang","description":"Never answers.","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      echo "call $name $$ $id" >> "$log"
      case "$mode,$line" in
        leaves,*) exit 9 ;;
        greedy,* | devours,*)
          if [ "$mode" = greedy ]; then ulimit -v 200000; fi
          eaten=xxxxxxxxxxxxxxxx
          while :; do eaten=$eaten$eaten; done ;;
        bomb,*)
          for one in 0 1 2 3 4 5 6 7 8 9; do
            for other in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j; do
              sleep 1000 &
              echo "child $name $!" >> "$log"
            done
          done
          exit 9 ;;
        *'"name":"hang"'*) ;;
        *) answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$name $$\"}]}" ;;
      esac
      if [ "$mode" = unread ] && [ -e "$folder/unread" ]; then exec sleep 1000; fi ;;
    *'"method":"ping"'*)
      answer '"result":{}' ;;
    *)
      answer '"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
done

if [ "$mode" = stubborn ]; then
  while :; do sleep 1; done
fi
if [ "$mode" = family ]; then kill "$!" 2> /dev/null; fi
