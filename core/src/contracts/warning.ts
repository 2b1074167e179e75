import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ErrorCode } from './error-codes.ts'
import { Text } from './schema.ts'

/** What svc warns of, beside errors that a run went on after. */
type KnownWarning =
  | 'acceptance_failed'
  | 'agent_replaced'
  | 'analyzer_llm_unavailable'
  | 'answer_replaced_by_vote'
  | 'attribution_unavailable'
  | 'budget_overshot'
  | 'cassette_miss'
  | 'check_failed'
  | 'claim_contradicted'
  | 'command_left_out'
  | 'compaction_failed'
  | 'config_restricted'
  | 'config_unread'
  | 'consensus_budget'
  | 'consensus_votes_missing'
  | 'disk_low'
  | 'event_handler_failed'
  | 'event_invalid'
  | 'input_required'
  | 'log_long'
  | 'media_unseen'
  | 'memory_damaged'
  | 'memory_elsewhere'
  | 'memory_embedder_failed'
  | 'memory_rerank_failed'
  | 'memory_unavailable'
  | 'message_unread'
  | 'no_provider'
  | 'no_worker'
  | 'notes_untrusted'
  | 'offline_provider'
  | 'outcomes_unavailable'
  | 'output_truncated'
  | 'person_advised'
  | 'plan_llm_failed'
  | 'plan_repaired'
  | 'plan_warning'
  | 'platform_limited'
  | 'reader_unavailable'
  | 'replan_advised'
  | 'retry_failed'
  | 'skill_left_out'
  | 'step_failed'
  | 'tool_unavailable'
  | 'turns_left_out'

/** Plugins have codes of their own. */
export type WarningCode = KnownWarning | ErrorCode | (string & {})

/** Something a person should know about a result that is otherwise usable. */
export const Warning = Type.Object({
  code: Type.Unsafe<WarningCode>(Text('stable, snake_case')),
  message: Text('one sentence'),
})
export type Warning = Static<typeof Warning>
