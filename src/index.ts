// The public API for programs that embed the gateway. The names exported here are pinned by a test.
export { config, type DiscoveryConfig, defineConfig } from "./config/define.js";
export { configJsonSchema } from "./config/json-schema.js";
export {
  DiscoveryEngine,
  type EngineOptions,
  type ExecuteOptions,
  type ReadyOptions,
  type SearchToolsOptions,
  type StreamedExecution,
} from "./engine.js";
export { openEngine } from "./open-engine.js";
export { DiscoveryError, type ErrorCode, type ErrorEntry, ERRORS, type Executed } from "./errors.js";
export type { ToolExample, ToolParameter } from "./metatools/describe-tool.js";
export type { Match as SearchMatch } from "./search/explain.js";
export type { SearchResult, ServerStatus, ServerSummary, ToolMetadata } from "./metatools/metadata.js";
export type { FailedServer, Readiness, SearchOutcome, StartingServer } from "./metatools/readiness.js";
export type { ExecutionResult } from "./metatools/to-execution-result.js";
export type { AskPerson, CallEvent, Question } from "./model/call.js";
export { toolFileJsonSchema } from "./toolfiles/format/json-schema.js";
export { VERSION } from "./version.js";
