// A tool and a prompt that come and go while the server runs.
export function createChanges() {
  const isThere = { tool: false, prompt: false };
  const followers = new Set();
  let notify;
  const put = (registered, is) => (is ? registered.enable() : registered.disable());
  const apply = (coming) => {
    for (const kind of Object.keys(isThere)) put(coming[kind], isThere[kind]);
  };
  const toggle = (kind) => {
    isThere[kind] = !isThere[kind];
    for (const coming of followers) put(coming[kind], isThere[kind]);
  };
  return {
    apply,
    /** For a server object that lives as long as its connection. Gives how to stop. */
    follow(coming) {
      followers.add(coming);
      return () => void followers.delete(coming);
    },
    /** For those who listen to the server as a whole. */
    publishTo(notifier) {
      notify = notifier;
    },
    toggleTool() {
      toggle("tool");
      notify?.toolsChanged();
    },
    togglePrompt() {
      toggle("prompt");
      notify?.promptsChanged();
    },
  };
}
