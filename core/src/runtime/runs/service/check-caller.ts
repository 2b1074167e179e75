import type { RunCreate } from '../../../contracts/run/run.ts'
import type { FieldError } from '../../../errors.ts'
import { findMediaFault, isMedia } from '../../../text/media.ts'
import { findParametersError } from '../../json-schema.ts'

/** What is wrong with the conversation and the tools that who asks for a run brings along. */
export function findCallerFaults({ threadId, turns = [], clientTools = [] }: RunCreate): FieldError[] {
  const faults: FieldError[] = []
  if (threadId !== undefined && turns.length > 0)
    faults.push({ path: '/turns', message: 'say what a thread says: leave them or `threadId` out' })
  for (const [at, { role, context = [], calls }] of turns.entries()) {
    if (role === 'assistant' && context.length > 0)
      faults.push({ path: `/turns/${at}/context`, message: 'is for turns of a user' })
    if (role === 'user' && calls !== undefined)
      faults.push({ path: `/turns/${at}/calls`, message: 'is for turns of an assistant' })
    for (const [place, part] of context.entries()) {
      const fault = isMedia(part) ? findMediaFault(part) : undefined
      if (fault !== undefined) faults.push({ path: `/turns/${at}/context/${place}`, message: fault })
    }
  }
  const names = new Set<string>()
  for (const [at, { name, parameters }] of clientTools.entries()) {
    if (names.has(name)) faults.push({ path: `/clientTools/${at}/name`, message: `names "${name}" again` })
    names.add(name)
    const error = parameters === undefined ? undefined : findParametersError({ type: 'object', ...parameters })
    if (error !== undefined) faults.push({ path: `/clientTools/${at}/parameters${error.path}`, message: error.message })
  }
  return faults
}
