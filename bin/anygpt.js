#!/usr/bin/env node
import { runAnygpt } from "../dist/main.js";

await runAnygpt();
