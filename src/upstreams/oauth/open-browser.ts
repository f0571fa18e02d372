import { spawn } from "node:child_process";

/**
 * The environment variables that the desktop's program for opening URLs needs. The gateway's secrets are not among
 * them.
 */
const OPENER_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|DESKTOP_SESSION|KDE_\w+|GNOME_\w+|SYSTEMROOT|WINDIR|USERPROFILE|APPDATA|LOCALAPPDATA|TMPDIR|TEMP|TMP)$/i;

export interface Desktop {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Opens a URL in the user's browser, without a shell. Returns false if there is no browser to open. */
export async function openBrowser(url: URL, { env, platform }: Desktop): Promise<boolean> {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  // Without a display, an opener would start a text browser and take over the terminal.
  const isHeadless = platform !== "darwin" && platform !== "win32" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"];
  if (isHeadless) return false;
  const [command, ...args] = openerOf(platform);
  const child = spawn(command, [...args, url.href], {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => OPENER_VARIABLES.test(name))),
    stdio: "ignore",
    detached: true,
    shell: false,
    windowsHide: true,
  });
  child.unref();
  return await new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

function openerOf(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  // `start` is not used: it is a built-in command of cmd.exe, which would interpret `&` in a URL.
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
