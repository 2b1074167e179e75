import { NO_ANSWER } from '../../../contracts/index.ts'
import { ROLES } from '../../../plan/roles.ts'
import { PART_OF } from '../../../text/task/decompose.ts'
import { coveredBy, type FailedCheck } from '../acceptance.ts'
import { isMarked } from '../refuted.ts'
import type { ExecutionContext } from './state/execution-context.ts'
import type { StepState } from './state/step-state.ts'
import { type Tokens, tokensOf } from './tokens.ts'

/** From this share of its words on, an answer tells of a result in its own way. */
const RETOLD = 0.2

/**
 * The parts that an answer of several leaves out, in any language: those that have found figures or names of their own, of
 * which none stands in the answer, nor does a word of what was asked, nor enough of what was found. Where no part is
 * recognised the answer is of another kind, and leaves none out.
 */
export function findLeftOut({ states, lastStep, run }: ExecutionContext, answer: string): FailedCheck[] {
  const { acceptance } = lastStep.step
  // An answer of a given shape has room for what the shape names.
  if (run.options.outputSchema !== undefined || !acceptance.some((check) => coveredBy(check) !== undefined)) return []
  const parts = [...states.values()].flatMap((state) =>
    state !== lastStep && state.step.role === ROLES.worker && hasResult(state) ? [toPart(state)] : [],
  )
  const told = tokensOf(answer.replace(NUMBERING, ''))
  const found = acceptance.flatMap((check) => {
    const part = parts.find(({ id }) => id === coveredBy(check))
    return part === undefined ? [] : [{ check, ...recognise(part, parts, told) }]
  })
  if (!found.some(({ isRecognised }) => isRecognised)) return []
  return found.flatMap(({ check, isLeftOut }) =>
    isLeftOut ? [{ check, evidence: 'nothing of it is in the answer' }] : [],
  )
}

/** The numbers of a list, and of steps, are no figures of an answer. */
const NUMBERING = /^[ \t]{0,20}\d{1,2}[.)](?=\s)|\bstep-\d+/gm

/** Whether there is something to find again. What was refuted may well be left out. */
const hasResult = ({ status, output }: StepState): boolean =>
  status === 'completed' && !output.startsWith(NO_ANSWER) && !isMarked(output)

interface Part {
  id: string
  asked: Tokens
  result: Tokens
}

const toPart = ({ step: { id, objective }, output }: StepState): Part => ({
  id,
  asked: tokensOf(objective.split(PART_OF)[0] ?? ''),
  result: tokensOf(output),
})

/** How an answer tells of a part, by what no other part has. */
function recognise(part: Part, parts: readonly Part[], told: Tokens): { isRecognised: boolean; isLeftOut: boolean } {
  const others = parts.filter((other) => other !== part)
  const own = (tokens: Tokens, kind: keyof Tokens): string[] =>
    [...tokens[kind]].filter(
      (token) => !others.some(({ asked, result }) => asked[kind].has(token) || result[kind].has(token)),
    )
  const names = own(part.result, 'names')
  const words = own(part.result, 'words')
  // "None in a.ts" may be left to what the answer says of the others.
  const hasFound = names.some((name) => !part.asked.names.has(name))
  const isNamed = [...names, ...own(part.asked, 'names')].some((name) => told.names.has(name))
  const isRecognised = isNamed || own(part.asked, 'words').some((word) => told.words.has(word))
  const isRetold = words.filter((word) => told.words.has(word)).length > words.length * RETOLD
  return { isRecognised, isLeftOut: hasFound && !isRecognised && !isRetold }
}
