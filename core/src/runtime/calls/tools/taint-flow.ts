import type { StepRow } from '../../../contracts/log/journal.ts'
import type { Confinement, Tool } from '../../../contracts/tool/tool.ts'
import { toWrittenFile } from '../../../contracts/tool/written-file.ts'
import { isToolAnswer } from '../../journal/tool-answer.ts'
import { isUntrusted } from '../policy/taint.ts'
import type { TaintedFiles } from '../policy/tainted-files.ts'

/** Whether the records of a run hold a tool's answer that is untrusted. */
export const hasReadUntrusted = (steps: readonly StepRow[]): boolean =>
  steps.some(({ outcome }) => isToolAnswer(outcome) && isUntrusted(outcome))

/** A call that is made, with what it touches: as far as it is known, at its end all. */
interface FlowingCall {
  tool: Tool
  args: unknown
  paths: ReadonlySet<string>
  confinement: Confinement
  /** Whether its agent has read something untrusted. */
  isTainted: boolean
}

/** Whether a tool may touch any file: it runs programs, or does not say what it touches. */
export const touchesAny = ({ confinement, touches }: Tool): boolean =>
  confinement !== undefined || touches === undefined

/** Whether a call may read, or run, what a tainted agent wrote. */
export function readsTainted(files: TaintedFiles, { tool, args, paths }: FlowingCall): boolean {
  if (!files.hasAny) return false
  if (touchesAny(tool)) return true
  const written = tool.risk === 'write' ? toWrittenFile(args) : undefined
  if (written !== undefined && !written.isAppended) return false // nothing is left of what was there
  return [...paths].some((path) => files.has(path))
}

/** Whether what a call writes may hold something untrusted: it comes from outside, its agent has read such, or it reads such. */
export function writesTainted(files: TaintedFiles, call: FlowingCall): boolean {
  const { tool, confinement, isTainted } = call
  const isFromOutside = confinement.network || (tool.untrusted === true && tool.confinement === undefined)
  return mayWrite(call) && (isTainted || isFromOutside || readsTainted(files, call))
}

function mayWrite({ tool, paths }: FlowingCall): boolean {
  if (tool.risk === 'network') return touchesAny(tool) || paths.size > 0
  return tool.risk !== 'read'
}
