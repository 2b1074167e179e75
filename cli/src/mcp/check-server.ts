import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { type LoadedConfig, toSvcError } from '@svc/core'
import { pathOutside } from '@svc/core/support'
import { expandServer } from '@svc/plugins'
import type { Io } from '../frame/io.ts'
import type { ConfiguredServer } from './configured.ts'

/** What of a server is there without starting or asking it. */
export interface ServerCheck {
  /** Whether it can be started, as far as is known; undefined for one that is switched off. */
  isFine: boolean | undefined
  message: string
  fix?: string
}

/** Whether a server's variables are set, and its program exists. */
export function checkServer(
  { name, config, source }: ConfiguredServer,
  { workspace, variables }: LoadedConfig,
  env: Io['env'],
): ServerCheck {
  if (config.disabled === true) return { isFine: undefined, message: `switched off in ${source}` }
  const all = { ...variables, ...env }
  try {
    const { command, cwd = '', url } = expandServer(name, config, { workspace, env: all })
    if (url !== undefined) return { isFine: true, message: `at ${new URL(url).host}; svc mcp test ${name} asks it` }
    const program = findProgram(command ?? '', resolve(workspace, cwd), pathOutside(workspace, all.PATH))
    if (program !== undefined) return { isFine: true, message: program }
    return { isFine: false, message: `${command} is not there`, fix: `install it, or correct ${source}` }
  } catch (thrown) {
    return { isFine: false, message: toSvcError(thrown).message, fix: `correct ${source}, or set what it names` }
  }
}

/** The file that a command starts. */
function findProgram(command: string, folder: string, path: string): string | undefined {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.com'] : ['']
  const places = /[\\/]/.test(command)
    ? [resolve(folder, command)]
    : path.split(delimiter).map((place) => join(place, command))
  return places.flatMap((place) => endings.map((ending) => place + ending)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
