// A server that supports only the modern protocol era, built on the SDK. Start: node modern.mjs
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createModernServer } from "./modern-tools.mjs";

serveStdio(createModernServer, { legacy: "reject" });
