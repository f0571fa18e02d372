import { applicationData, namedPlace, type System, under } from "../system.js";

const PRODUCTS = ["Code", "Code - Insiders", "VSCodium"];
/** Editors of the family whose own servers lie elsewhere, but whose extensions keep theirs in the same way. */
const RELATIVES = ["Cursor", "Windsurf"];

/** The folders `User` of VS Code and its variants. */
export function userFolders(system: System): readonly string[] {
  const portable = namedPlace(system, "VSCODE_PORTABLE");
  if (portable) return [under(system, portable, "user-data", "User")];
  return PRODUCTS.map((product) => under(system, applicationData(system), product, "User"));
}

/** The file that an extension keeps for itself, in every editor that may run it. */
export function extensionFiles(system: System, extension: string, file: string): readonly string[] {
  const relatives = RELATIVES.map((product) => under(system, applicationData(system), product, "User"));
  return [...userFolders(system), ...relatives].map((folder) =>
    under(system, folder, "globalStorage", extension, "settings", file),
  );
}
