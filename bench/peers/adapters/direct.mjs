import { connectStdio } from "../support/connect.mjs";

/** No gateway: the client connects directly to the server. The baseline of all latency ratios. */
export const direct = {
  name: "direct",
  version: "",
  packages: [],
  async open({ servers, env }) {
    const [{ command, args }] = Object.values(servers);
    const connection = await connectStdio({ command, args, env });
    return {
      pid: connection.pid,
      listTools: connection.list,
      call: (_server, tool, args) => connection.call(tool, args),
      close: connection.close,
    };
  },
};
