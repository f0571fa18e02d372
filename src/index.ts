// The public API for programs that embed the gateway. A test checks the list of exported names.
export { config, defineConfig } from "./config/define.js";
export type {
  CacheConfig,
  ConfigSource,
  DiscoveryConfig,
  MCPServerConfig,
  ToolRule,
} from "./config/discovery-config.js";
export { configJsonSchema } from "./config/json-schema.js";
export type { ValidationResult } from "./config/validation-result.js";
export { DiscoveryEngine, openEngine } from "./engine.js";
export type {
  ConnectOptions,
  EngineOptions,
  ExecuteOptions,
  OpenOptions,
  ReadyOptions,
  SearchToolsOptions,
  ListToolsOptions,
  StreamedExecution,
  ToolArguments,
} from "./gateway/engine-options.js";
export { DiscoveryError, type ErrorCode, type ErrorEntry, ERRORS, type Executed } from "./errors.js";
export type { NextStep } from "./model/next-steps.js";
export type { ToolExample, ToolParameter } from "./metatools/describe-tool.js";
export type { Match as SearchMatch } from "./search/explain.js";
export type { SearchResult, ServerStatus, ServerSummary, ToolMetadata } from "./metatools/metadata.js";
export type { FailedServer, Readiness, SearchOutcome, StartingServer } from "./metatools/readiness.js";
export type { ExecutionError } from "./metatools/to-error-object.js";
export type { ExecutionResult } from "./metatools/to-execution-result.js";
export type { AskPerson, CallEvent, Question } from "./model/call.js";
export type { JsonObject } from "./model/json.js";
export {
  type AuditReader,
  type AuditState,
  type ExportAuditOptions,
  openAudit,
  type ReadAuditOptions,
} from "./operations/audit/open-audit.js";
export type { ExportedAudit } from "./operations/audit/export-audit.js";
export type { AuditSelection } from "./operations/audit/filter.js";
export type { FollowAuditOptions } from "./operations/audit/follow-audit.js";
export type { ShownRecord as AuditLogRecord } from "./operations/audit/records.js";
export type { AuditReport } from "./operations/audit/verify-audit.js";
export { type AdapterPage, inspectAdapter, type InspectOptions } from "./operations/adapters/inspect-adapter.js";
export { listAdapters, type ListedAdapter } from "./operations/adapters/list-adapters.js";
export { type AdapterCheck, testAdapter, type TestAdapterOptions } from "./operations/adapters/test-adapter.js";
export { type ConfigPage, describeConfiguration } from "./operations/configuration/describe-configuration.js";
export {
  type ConfigurationVerdict,
  validateConfiguration,
  type ValidateOptions,
} from "./operations/configuration/validate-configuration.js";
export {
  type CheckedServer,
  checkServers,
  type CheckServersOptions,
  type ServersCheck,
} from "./operations/doctor/check-servers.js";
export {
  type ImportOptions,
  importServers,
  undoImport,
  type UndoImportOptions,
  type UndoneImport,
} from "./operations/import/import-servers.js";
export type { ImportPage } from "./operations/import/report.js";
export type { AddOptions, AddRequest } from "./operations/servers/add.js";
export type { ChangeReport } from "./operations/servers/change.js";
export type { EditReport } from "./operations/servers/desk.js";
export { addServer, removeServer, setServerEnabled } from "./operations/servers/edit-servers.js";
export { findServers, type FindServersOptions, type FoundPublicServers } from "./operations/servers/find-servers.js";
export { undoLast, type UndoReport } from "./operations/servers/undo.js";
export {
  type EvaluateOptions,
  evaluateSearch,
  type SearchEvaluation,
  type SearchMiss,
} from "./operations/evaluation/evaluate-search.js";
export {
  type EvalSet,
  type EvalSetFiles,
  type EvalTool,
  readEvalSet,
} from "./operations/evaluation/evaluation-files.js";
export type { SearchReport } from "./operations/evaluation/measure.js";
export type { EvalQuery } from "./search/evaluate.js";
export { openPins, type PinTable } from "./operations/pins/pins.js";
export {
  type CheckedRegistry,
  compareRegistry,
  type ExportedRegistry,
  type WriteRegistryRequest,
  writeRegistry,
} from "./operations/registry/registry.js";
export {
  type ExportedToolFiles,
  exportToolFiles,
  type ExportToolFilesRequest,
} from "./operations/toolfiles/export.js";
export {
  type InstalledToolFiles,
  type InstallRequest,
  installToolFiles,
  type UnusedToolFiles,
} from "./operations/toolfiles/install.js";
export { type SignedToolFiles, type SignRequest, signToolFiles } from "./operations/toolfiles/sign.js";
export { type ToolFileVerdict, type VerifiedToolFiles, verifyToolFiles } from "./operations/toolfiles/verify.js";
export { toolFileJsonSchema } from "./toolfiles/format/json-schema.js";
export type { Problem as ConfigProblem } from "./util/document/problem.js";
export { VERSION } from "./version.js";
