import { accessSync, constants, existsSync, readlinkSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { isInside, realOf } from '../files/workspace.ts'

/** Where version managers keep programs below a home folder; none of these holds keys. */
const OF_HOME = (
  '.nvm/versions .fnm .volta .local/share/fnm .local/share/mise .local/share/pnpm .local/share/uv .asdf .n .bun/bin ' +
  '.deno/bin .pyenv .rbenv .rustup/toolchains .cargo/bin .sdkman/candidates miniconda3 anaconda3'
).split(' ')
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store']
const MOST_LINKS = 20

export interface Toolchains {
  /** Folders outside of the system's that hold what the program needs. */
  readonly folders: string[]
  /** `PATH` in the sandbox. */
  readonly path: string
}

/**
 * Finds the toolchains that programs of this process' `PATH` belong to.
 *
 * Outside of home, an entry of `PATH` stands for its installation (`/opt/node` for `/opt/node/bin`); below home, only the
 * folders of known version managers, and the installation that the named program itself lies in, are shown.
 */
export function findToolchains(program: string, workspace: string): Toolchains {
  const entries = pathEntries()
  const home = realOf(process.env.HOME ?? homedir())
  const known = OF_HOME.map((name) => join(home, name)).filter((folder) => existsSync(folder))
  const ofProgram = hopsOf(program, entries, workspace).map((file) => installationOf(file, home))
  const ofPath = entries
    .filter((entry) => !isInside(home, realOf(entry)) && !entry.split(sep).includes('node_modules'))
    .map((entry) => installationOf(join(entry, '-'), home))
  const wanted = [...known, ...ofProgram, ...ofPath].flatMap((folder) => (folder === undefined ? [] : [realOf(folder)]))
  const folders = [...new Set(wanted)].filter(
    (folder) => !isSystem(folder) && !isInside(folder, workspace) && !isInside(workspace, folder) && existsSync(folder),
  )
  const seen = [...SYSTEM, workspace, ...folders]
  return {
    folders,
    path: entries.filter((entry) => seen.some((folder) => isInside(folder, realOf(entry)))).join(delimiter),
  }
}

/** Folders of `PATH`; a relative one would run programs of the workspace. */
export const pathEntries = (): string[] =>
  [...new Set((process.env.PATH ?? '').split(delimiter))].filter((entry) => isAbsolute(entry))

/** The file of a program; undefined where there is none. */
export function findProgram(program: string, entries: readonly string[], workspace: string): string | undefined {
  if (program.includes('/')) return resolve(workspace, program)
  return entries.map((entry) => join(entry, program)).find(isProgram)
}

/** The program's file, and what each link on the way leads to. */
function hopsOf(program: string, entries: readonly string[], workspace: string): string[] {
  const hops: string[] = []
  let file = findProgram(program, entries, workspace)
  while (file !== undefined && hops.length < MOST_LINKS) {
    hops.push(file)
    file = targetOf(file)
  }
  return hops.flatMap((hop) => [hop, realOf(hop)])
}

/** What a link leads to; undefined for anything else. */
function targetOf(file: string): string | undefined {
  try {
    return resolve(dirname(file), readlinkSync(file))
  } catch {
    return undefined
  }
}

/**
 * The folder that a program was installed to: the one around `bin` where it has libraries too, and around `shims`, which lead
 * to what lies beside them; else its own.
 */
function installationOf(file: string, home: string): string | undefined {
  const folder = dirname(file)
  const around = dirname(folder)
  const has = (name: string): boolean => existsSync(join(around, name))
  // a project with a folder `bin` is no installation
  const isProject = ['.git', '.env', 'package.json'].some(has)
  const isOfBin = basename(folder) === 'bin' && (has('lib') || has('include')) && !isProject
  const isWhole = isOfBin || basename(folder) === 'shims'
  const found = isWhole && basename(around) !== '.local' ? around : folder
  const isBroad = isInside(found, home) || dirname(found) === sep || found === sep
  if (!isBroad) return found
  return isInside(folder, home) || dirname(folder) === sep ? undefined : folder
}

const isSystem = (path: string): boolean => SYSTEM.some((folder) => isInside(folder, path))

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
