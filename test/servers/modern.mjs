// A server of the modern era only, on the SDK. Start: node modern.mjs
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createModernServer } from "./modern-tools.mjs";

serveStdio(createModernServer, { legacy: "reject" });
