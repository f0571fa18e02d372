#!/usr/bin/env node
const { runDiscovery } = require("../dist/main.cjs");

runDiscovery();
