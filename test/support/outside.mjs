// Loaded before a program: the public host name OUTSIDE_NAME resolves to OUTSIDE_PORT of this machine. The program itself
// treats the address as public.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";

const { OUTSIDE_NAME: name, OUTSIDE_PORT: port } = process.env;
const PUBLIC = { address: "93.184.215.14", family: 4 };
const HERE = { address: "127.0.0.1", family: 4 };

const { lookup } = dns;
dns.lookup = (hostname, ...rest) => {
  const answer = rest.at(-1);
  const options = typeof rest[0] === "object" ? rest[0] : {};
  if (hostname !== name) return lookup(hostname, ...rest);
  process.nextTick(() => (options.all ? answer(null, [PUBLIC]) : answer(null, PUBLIC.address, PUBLIC.family)));
};

const { connect } = tls;
tls.connect = (options, ...rest) => {
  if (options?.host !== name) return connect(options, ...rest);
  const check = options.lookup ?? dns.lookup;
  const lookupHere = (hostname, wanted, answer) =>
    check(hostname, wanted, (error) => {
      if (error) return answer(error);
      return wanted.all ? answer(null, [HERE]) : answer(null, HERE.address, HERE.family);
    });
  return connect({ ...options, port: Number(port), lookup: lookupHere }, ...rest);
};
syncBuiltinESMExports();
