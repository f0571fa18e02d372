#!/usr/bin/env node
const { runAnygpt } = require("../dist/main.cjs");

runAnygpt();
