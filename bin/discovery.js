#!/usr/bin/env node
import { runDiscovery } from "../dist/main.js";

await runDiscovery();
