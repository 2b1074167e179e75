import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Approval, Decision } from '@svc/core'
import { canonicalJson } from '@svc/core/support'
import type { Editor } from '../session/editor.ts'

/** The person's answers to calls of tools in one session. */
export class Permissions {
  readonly #allowed = new Set<string>()
  readonly #refused = new Set<string>()

  /**
   * Asks whether a call may be made, unless the person has said so of it for the session.
   *
   * @param call as the editor is to show it
   * @param signal takes the question back
   * @returns undefined where nobody has answered: the question stays open, or its run has ended
   */
  async ask(
    approval: Approval,
    call: ToolCallUpdate,
    editor: Editor,
    signal: AbortSignal,
  ): Promise<Decision | undefined> {
    const rule = ruleOf(approval)
    if (this.#refused.has(rule.key)) return { decision: 'deny', note: 'refused for this session' }
    if (this.#allowed.has(rule.key)) return { decision: 'approve' }
    const outcome = await editor.askPermission({ toolCall: call, options: optionsOf(rule.covers) }, signal)
    if (signal.aborted) return undefined
    if (outcome.outcome !== 'selected') return { decision: 'deny', note: 'the question was closed' }
    if (outcome.optionId === 'allow_always') this.#allowed.add(rule.key)
    if (outcome.optionId === 'reject_always') this.#refused.add(rule.key)
    return { decision: outcome.optionId.startsWith('allow_') ? 'approve' : 'deny' }
  }
}

/**
 * How far "always" reaches. Of a tool that only writes files it is all calls that the same rule asks about, as a run with
 * `allowWrites` makes them; of a program it is commands that begin alike, where that is offered; of any other it is equal calls,
 * by an agent that has read nothing else that is untrusted.
 */
function ruleOf({ tool, args, risk, reason, taint, offers = [] }: Approval): { key: string; covers: string } {
  if (risk === 'write') return { key: `${tool} ${reason}`, covers: `${tool} in this session` }
  const { command } = offers.find(({ scope }) => scope === 'prefix')?.rule ?? {}
  if (command !== undefined)
    return {
      key: `${tool} ${reason} ${canonicalJson({ command })}`,
      covers: `commands that begin with "${command.join(' ')}" in this session`,
    }
  const key = `${tool} ${reason} ${canonicalJson(args)} ${canonicalJson([...taint].sort())}`
  return { key, covers: 'this very call in this session' }
}

const optionsOf = (covers: string): PermissionOption[] => [
  { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
  { optionId: 'allow_always', kind: 'allow_always', name: `Always allow ${covers}` },
  { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
  { optionId: 'reject_always', kind: 'reject_always', name: `Always reject ${covers}` },
]
