import type { Approval, Decision, GrantOffer, PolicyRule } from '@svc/core'
import { toShownPlace } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { toLines } from '../render/width.ts'
import { behindBar } from './behind-bar.ts'
import { askChoice } from './prompt.ts'

const BACK = 'back'
/** Columns of a number and the blanks around it. */
const INDENT = 5

/**
 * Asks for what else a yes is, and how long it holds. A rule that is to be written is shown before, as it is written, and where.
 *
 * @param folder that the call acts in
 * @returns undefined where the question was closed; `back` where the person wants none of it
 */
export async function askGrant(
  approval: Approval,
  folder: string,
  io: Io,
  signal: AbortSignal,
): Promise<Decision | typeof BACK | undefined> {
  const { offers = [], rulesFile } = approval
  const lasting = rulesFile === undefined ? [] : (['always'] as const)
  const choices: [string, Decision][] = offers.flatMap(({ scope, rule }) =>
    (['run', ...lasting] as const).map((remember): [string, Decision] => [
      remember === 'run' ? `${inWords(rule, folder)}, in this run` : `${inWords(rule)}, ${reachOf(rule)}`,
      { decision: 'approve', remember, scope },
    ]),
  )
  choices.push(['equal calls, in this run', { decision: 'approve', remember: 'run' }])
  const lines = choices.map(([words], at) => {
    const [first, ...more] = toLines(words, Math.max(2, io.columns - INDENT))
    return [`  ${at + 1}  ${first}`, ...more.map((line) => `     ${line}`), ''].join('\n')
  })
  io.show(`Allow it, and do not ask again for:\n${lines.join('')}`)
  const [first] = offers
  if (rulesFile === undefined && first !== undefined)
    sayRule('For later runs too, add this rule under policy.rules of your config:', first.rule, io)
  const answer = await askChoice(io, 'Which?', [...choices.map((_, at) => String(at + 1)), BACK], signal)
  if (answer === undefined || answer === BACK) return answer
  const decision = choices[Number(answer) - 1]?.[1]
  if (decision?.remember !== 'always') return decision
  const isSure = await confirmRule(approval, decision, io, signal)
  return isSure === undefined ? undefined : isSure ? decision : BACK
}

/** Shows the rule that an answer would write, and where, and asks whether it may. @returns undefined where the question was closed */
export async function confirmRule(
  { offers = [], rulesFile = '' }: Approval,
  decision: Decision,
  io: Io,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { rule } = offers.find(({ scope }) => scope === decision.scope) ?? {}
  if (rule === undefined) return true // the runtime says what is wrong with it
  sayRule(`This rule goes into ${toShownPlace(rulesFile)}, and holds ${reachOf(rule)}:`, rule, io)
  const answer = await askChoice(io, 'Write it, and allow the call?', ['yes', 'no'], signal)
  return answer && answer === 'yes'
}

/** How far a rule of a person reaches. */
const reachOf = ({ paths }: PolicyRule): string => (paths === undefined ? 'always, in every folder' : 'always')

/** A rule as it stands in a config. */
function sayRule(what: string, rule: PolicyRule, io: Io): void {
  io.show(
    `${toLines(what, io.columns).join('\n')}\n${behindBar(toShownPlace(JSON.stringify(rule)), io, io.paint.bold).join('\n')}\n`,
  )
}

/** What an answer has added to the person's config, once it was taken. */
export function sayWritten({ offers = [], rulesFile }: Approval, decision: Decision, io: Io): void {
  const offer = offers.find(({ scope }: GrantOffer) => scope === decision.scope)
  if (decision.remember === 'always' && offer !== undefined && rulesFile !== undefined)
    sayRule(`svc: added to ${toShownPlace(rulesFile)}, for all runs from now on:`, offer.rule, io)
}

/** What a rule allows. @param folder from which paths are shown; default they are shown whole */
function inWords({ tool, paths = [], hosts = [], command }: PolicyRule, folder?: string): string {
  const shown = (path: string): string => {
    const plain = path.replace(/\/\*\*$/, '/')
    if (plain === `${folder}/`) return 'this folder'
    return folder !== undefined && plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain
  }
  const words = [
    command === undefined ? tool : `commands that begin with "${command.join(' ')}"`,
    ...(paths.length > 0 ? [`in ${paths.map(shown).join(', ')}`] : []),
    ...(hosts.length > 0 ? [`to ${hosts.join(', ')}`] : []),
  ]
  return toShownPlace(words.join(' '))
}
