import { pathOutside } from '@svc/core/support'

/** What a program needs to find itself, its folders and its language. None of them holds a key. */
const KEPT = [
  'HOME',
  'LOGNAME',
  'USER',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
]
const KEPT_ON_WINDOWS = [
  ...[
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
  ],
  ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]

/**
 * The variables of a server's process: the few that every program has, and its own.
 *
 * @param workspace whose programs are not found by `PATH`: they would run in the place of the system's
 */
export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
  workspace: string,
): Record<string, string> {
  const names = process.platform === 'win32' ? KEPT_ON_WINDOWS : KEPT
  const kept = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  return {
    ...Object.fromEntries(kept),
    // A server that is svc again knows how deep it is.
    SVC_MCP_DEPTH: String(Number(env.SVC_MCP_DEPTH ?? 0) + 1),
    PATH: pathOutside(workspace, env.PATH ?? env.Path),
    ...own,
  }
}
