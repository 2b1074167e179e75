import type { Approval, Decision } from '@svc/core'
import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { oneLine } from '../render/one-line.ts'
import { widthOf } from '../render/width.ts'
import { askArguments } from './ask-arguments.ts'
import { askGrant } from './ask-grant.ts'
import { CallScreen, type ShownCall } from './call-screen.ts'
import { askChoice, choicesText } from './prompt.ts'

const VIEW = 'view all of it'
const MORE = 'do not ask again'
const REMEMBER = 'all equal calls of this run'

/**
 * Shows what a call would do, and asks whether it may: what it touches stands right above the question, and nobody can say
 * yes before all of it was shown.
 *
 * @param folder that the call acts in
 * @returns undefined where the question was closed
 */
export async function askApproval(
  approval: Approval,
  folder: string,
  io: Io,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  let edited: { args: unknown } | undefined
  let screen = new CallScreen(toCall(approval, folder), io)
  const { tool, offers = [] } = approval
  for (;;) {
    const answers: readonly Answer[] =
      edited !== undefined ? ['yes', 'no', 'edit'] : ['yes', 'no', offers.length > 0 ? MORE : REMEMBER, 'edit']
    const question = `Allow ${oneLine(toShownText(tool))}${edited === undefined ? '' : ' with your arguments'}?`
    const answer = await askWhether(question, answers, screen, io, signal)
    if (answer === undefined) return undefined
    if (answer === 'no') return { decision: 'deny' }
    if (answer === MORE) {
      const decision = await askGrant(approval, folder, io, signal)
      if (decision !== 'back') return decision
      continue
    }
    if (answer === 'edit') {
      const args = await askArguments(edited === undefined ? approval.args : edited.args, folder, io, signal)
      if (signal.aborted) return undefined
      if (args === undefined) continue
      const isChanged = JSON.stringify(args) !== JSON.stringify(approval.args)
      edited = isChanged ? { args } : undefined
      screen = new CallScreen(isChanged ? toEdited(approval, args, folder) : toCall(approval, folder), io)
    } else if (edited !== undefined) return { decision: 'edit', args: edited.args }
    else return answer === 'yes' ? { decision: 'approve' } : { decision: 'approve', remember: 'run' }
  }
}

type Answer = 'yes' | 'no' | typeof MORE | typeof REMEMBER | 'edit'

/** Asks until the answer is one that may be given: a yes counts once all was shown. */
async function askWhether(
  question: string,
  answers: readonly Answer[],
  screen: CallScreen,
  io: Io,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (;;) {
    // a screen with room for the longer question has room for the other
    screen.show(widthOf(`${question} ${choicesText([...answers, VIEW])}: `))
    const choices = screen.isShown ? answers : [...answers, VIEW as typeof VIEW]
    const answer = await askChoice(io, question, choices, signal)
    if (answer === undefined || answer === 'no' || answer === 'edit') return answer
    if (answer !== VIEW && screen.isShown) return answer
    if (answer !== VIEW) io.err('Not all of it was shown yet: here it is, page by page.\n')
    if (!(await screen.page(signal))) return undefined
  }
}

/** Where the runtime left a part of the preview out. */
const CUT = /\.\.\. cut: \d+ of \d+ characters are shown|\.\.\. and \d+ more/
const PLACES = /^(?:(?:path|host|command): .*(?:\n|$))+/

/** An open question as a person is shown it. */
export function toCall({ agentId, tool, args, risk, reason, preview, taint }: Approval, folder: string): ShownCall {
  const places = PLACES.exec(preview)?.[0].trimEnd().split('\n')
  const all = JSON.stringify(args, null, 2) ?? ''
  return {
    head: `${agentId} wants to use ${tool} (risk ${risk}; ${reason})`,
    text: [
      ...(preview === '' ? [all] : [preview]),
      ...(CUT.test(preview) ? ['', 'All arguments, whole:', all] : []),
      ...(taint.length === 0 ? [] : ['', `It has read untrusted content: ${taint.join(', ')}`]),
    ].join('\n'),
    places: places ?? [argumentsLine(args)],
    folder,
  }
}

/** The same with a person's own arguments. */
export const toEdited = ({ agentId, tool, risk }: Approval, args: unknown, folder: string): ShownCall => ({
  head: `${agentId} would use ${tool} with your arguments (risk ${risk})`,
  text: JSON.stringify(args, null, 2),
  places: [argumentsLine(args)],
  folder,
})

const argumentsLine = (args: unknown): string => `arguments: ${JSON.stringify(args) ?? ''}`
