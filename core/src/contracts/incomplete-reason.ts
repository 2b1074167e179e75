import * as Type from 'typebox'
import type { ErrorCode } from './error-codes.ts'
import { Text } from './schema.ts'

/**
 * Why a run is incomplete: `checks_failed` its answer is false or breaks its form, `not_verified` of a strict run, `not_found` its
 * answer says that it does not answer, `limit` some limit; else the code of what stopped it. A plugin may have words of its own.
 */
export type IncompleteReason = 'checks_failed' | 'not_verified' | 'not_found' | 'limit' | ErrorCode | (string & {})

export const Reason = (description: string) => Type.Unsafe<IncompleteReason>(Text(description))
