import { ToolError } from '@svc/core'
import { show } from '../files/file-errors.ts'
import type { Ended, Printed } from './run-program.ts'

/**
 * What a program of a config's tool printed; standard error follows under a line `[stderr]`.
 *
 * @throws ToolError `tool_failed` where it ended with another code than 0
 */
export function toPrinted(program: string, { exitCode, killedBy, out, err }: Ended): string {
  const [printed, warnings] = [textOf(out), textOf(err)]
  if (exitCode === 0) {
    if (warnings.trim() === '') return printed.trimEnd()
    return `${printed.trimEnd()}\n[stderr]\n${warnings.trimEnd()}`.trimStart()
  }
  const how = exitCode === undefined ? `was ended by ${killedBy ?? 'a signal'}` : `ended with code ${exitCode}`
  const tail = (warnings || printed).trim().slice(-2000)
  throw new ToolError('tool_failed', `${show(program)} ${how}${tail === '' ? '' : `: ${tail}`}`, {
    details: { exitCode: exitCode ?? null, signal: killedBy ?? null },
  })
}

const textOf = ({ head, dropped }: Printed): string => (dropped === 0 ? head : `${head}\n… ${dropped} more bytes`)
