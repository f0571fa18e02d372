import { applicationData, pathFromEnvironment, type System, under } from "../system.js";

const PRODUCTS = ["Code", "Code - Insiders", "VSCodium"];
/** VS Code forks that have another MCP file, but store the settings of extensions like VS Code. */
const FORKS = ["Cursor", "Windsurf"];

/** The `User` folders of VS Code and its variants. */
export function userFolders(system: System): readonly string[] {
  const portable = pathFromEnvironment(system, "VSCODE_PORTABLE");
  if (portable) return [under(system, portable, "user-data", "User")];
  return PRODUCTS.map((product) => under(system, applicationData(system), product, "User"));
}

/** The settings file of an extension, in every editor that may run it. */
export function extensionFiles(system: System, extension: string, file: string): readonly string[] {
  const forks = FORKS.map((product) => under(system, applicationData(system), product, "User"));
  return [...userFolders(system), ...forks].map((folder) =>
    under(system, folder, "globalStorage", extension, "settings", file),
  );
}
