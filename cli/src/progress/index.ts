import type { Flags } from '../frame/flags.ts'
import type { Io } from '../frame/io.ts'
import { readLogSettings } from '../session/log-options.ts'
import { createLines } from './lines.ts'
import type { Progress } from './progress.ts'
import { createTree } from './tree.ts'

const SILENT: Progress = { show() {}, pause: (work) => work(), end() {} }

/** A live tree for a person at a terminal, a line a step for everyone else, nothing when asked to be quiet. */
export function createProgress(flags: Pick<Flags, 'quiet' | 'verbose' | 'output' | 'logLevel'>, io: Io): Progress {
  if (flags.quiet || flags.output === 'stream-json') return SILENT
  const log = readLogSettings(flags.logLevel, io.env)
  // A log on the same screen would tear the tree.
  const isFree = log === undefined || log.file !== undefined
  return io.canRedraw && isFree ? createTree(io) : createLines(io, flags.verbose)
}
