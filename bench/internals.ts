// What the rows measure and the package does not export, under explicit names.
export { createCatalog } from "../src/catalog/catalog.js";
export { createCatalogDisk } from "../src/catalog/disk.js";
export { fingerprintOf, toRecord } from "../src/catalog/record.js";
export { createDiscovery } from "../src/metatools/discovery.js";
export { toDetailsAnswer, toSearchAnswer } from "../src/metatools/discovery-profile.js";
export { searchOptions } from "../src/search/options.js";
export { summarize } from "../src/search/summary.js";
