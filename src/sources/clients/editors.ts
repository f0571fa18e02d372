import { applicationData, pathFromEnvironment, type System, under } from "../system.js";

const PRODUCTS = ["Code", "Code - Insiders", "VSCodium"];
/** VS Code forks with their own file for MCP servers. They store extension settings in the same way as VS Code. */
const FORKS = ["Cursor", "Windsurf"];

/** The `User` folders of VS Code and its variants. */
export function userFolders(system: System): readonly string[] {
  const portable = pathFromEnvironment(system, "VSCODE_PORTABLE");
  if (portable) return [under(system, portable, "user-data", "User")];
  return PRODUCTS.map((product) => under(system, applicationData(system), product, "User"));
}

/** The paths of an extension's settings file in all editors that may run the extension. */
export function extensionFiles(system: System, extension: string, file: string): readonly string[] {
  const forks = FORKS.map((product) => under(system, applicationData(system), product, "User"));
  return [...userFolders(system), ...forks].map((folder) =>
    under(system, folder, "globalStorage", extension, "settings", file),
  );
}
