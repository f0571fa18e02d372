import { describe, expect, it } from "vitest";
import { findEvidence } from "./evidence.js";

const actionOf = (name: string, description?: string): string | undefined =>
  findEvidence({ name, description })?.action;

describe("findEvidence", () => {
  it.each([
    ["current_time", "Returns the time in a time zone.", "read"],
    ["excel_read_sheet", undefined, "read"],
    ["pods_list", undefined, "read"],
    ["list_deployments", undefined, "read"],
    ["get_delete_history", "Gets the history of deletions.", "read"],
    ["order_list", "Lists orders.", "read"],
    ["weather_forecast", undefined, "read"],
    ["API-post-search", "Search by title.", "read"],
    ["create_issue", undefined, "change"],
    ["updateMonitor", "Updates a monitor.", "change"],
    ["search_and_replace", undefined, "change"],
    ["remove_label_from_issue", undefined, "change"],
    ["remove_role_from_user", undefined, "permission"],
    ["grant_access", undefined, "permission"],
    ["add_collaborator", undefined, "permission"],
    ["deploy_site", undefined, "deploy"],
    ["slack_post_message", undefined, "send"],
    ["reply_to_thread", undefined, "send"],
    ["cancel_order", undefined, "stop"],
    ["refund", undefined, "money"],
    ["create_refund", undefined, "money"],
    ["transfer_funds", "Transfers money to an account.", "money"],
    ["approve_payment", undefined, "money"],
    ["delete_file", undefined, "delete"],
    ["DeleteBucket", undefined, "delete"],
    ["get_and_delete_message", undefined, "delete"],
    ["run_python_code", undefined, "execute"],
    ["execute_command", undefined, "execute"],
    ["write_query", "Execute an INSERT, UPDATE, or DELETE query.", "execute"],
    ["query", "Run a SQL query.", "execute"],
    ["query", "Run a read-only SQL query.", "read"],
    ["read_query", "Execute a SELECT query.", "read"],
    ["execute_query", "Run a SELECT query.", "read"],
    ["reset_branch", "Resets a branch. Any untracked data will be lost.", "delete"],
    ["update_record", "Overwrites the record. This cannot be undone.", "delete"],
    ["task", "Deletes a task.", "delete"],
    ["manage_users", "Create, update or delete users.", "delete"],
    ["get_data", "Deletes the data.", "delete"],
    ["frobnicate", "Frobnicates.", undefined],
    ["", undefined, undefined],
  ])("reads the name %j with the description %j as %s", (name, description, action) => {
    expect(actionOf(name, description)).toBe(action);
  });

  it.each([
    ["datei_löschen", "delete"],
    ["supprimer_fichier", "delete"],
    ["enviar_correo", "send"],
    ["pagar_factura", "money"],
    ["verwijderen", "delete"],
    ["удалить_файл", "delete"],
    ["删除文件", "delete"],
    ["查询天气", "read"],
    ["ファイル削除", "delete"],
    ["파일_삭제", "delete"],
  ])("reads the name %j as %s", (name, action) => {
    expect(actionOf(name)).toBe(action);
  });

  it.each([
    ["ｄｅｌｅｔｅ_file", "delete"],
    ["delete\u0301_file", "delete"],
    ["de\u200blete_file", "delete"],
  ])("reads the disguised name %j as %s", (name, action) => {
    expect(actionOf(name)).toBe(action);
  });

  it.each([
    ["GET", "/orders", "orders", "read"],
    ["GET", "/campaigns/{id}/pause", "campaign", "change"],
    ["GET", "/send", "x", "send"],
    ["GET", "/messages", "messages", "read"],
    ["POST", "/search", "search-things", "read"],
    ["POST", "/things", "things", "change"],
    ["POST", "/charges/{id}/refund", "post-charges-refund", "money"],
    ["POST", "/v1/payouts", "payouts", "money"],
    ["PUT", "/things/{id}", "search", "change"],
    ["PATCH", "/members/{id}/role", "grant-role", "permission"],
    ["DELETE", "/things/{id}", "things", "delete"],
    ["PURGE", "/cache", "cache", "act"],
  ])("reads %s %s of the tool %j as %s", (method, path, name, action) => {
    expect(findEvidence({ name, method, path })?.action).toBe(action);
  });

  it("says where it found the action", () => {
    expect(findEvidence({ name: "create_refund" })?.says).toBe('the name says "create refund"');
    expect(findEvidence({ name: "x", description: "Sends a message." })?.says).toBe('the description says "send"');
    expect(findEvidence({ name: "x", method: "GET", path: "/x/pause" })?.says).toBe('the path says "pause"');
  });
});
