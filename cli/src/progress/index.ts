import type { Flags } from '../frame/flags.ts'
import type { Io } from '../frame/io.ts'
import { readLogSettings } from '../session/log-options.ts'
import { BottomCanvas, type Canvas } from '../terminal/canvas.ts'
import { createLines } from './lines.ts'
import { type LiveOptions, LiveProgress } from './live.ts'
import type { Progress } from './progress.ts'

const SILENT: Progress = { show() {}, pause: (work) => work(), end() {} }

/**
 * What a run does as it goes on, for a person at a terminal; a line a step for everyone else, nothing when asked to be quiet.
 *
 * @param canvas of a conversation, which is open from turn to turn
 */
export function createProgress(
  flags: Pick<Flags, 'quiet' | 'verbose' | 'output' | 'logLevel'>,
  io: Io,
  canvas?: Canvas,
  options?: LiveOptions,
): Progress {
  if (flags.output === 'stream-json') return SILENT
  const log = readLogSettings(flags.logLevel, io.env)
  // A log on the same screen would tear what is redrawn.
  const isFree = log === undefined || log.file !== undefined
  if (canvas === undefined && (flags.quiet || !io.canRedraw || !isFree))
    return flags.quiet ? SILENT : createLines(io, flags.verbose)
  const speaks = io.isOutTerminal && flags.output === 'text'
  return new LiveProgress(io, canvas ?? new BottomCanvas(io), { speaks, isQuiet: flags.quiet, ...options })
}
