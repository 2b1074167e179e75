import { NotFoundError, SvcError, type UsageTotal, ValidationError } from '@svc/core'
import type { Answer } from '../../http/answer.ts'
import { answerOnce } from '../../http/request/idempotency.ts'
import type { RouteRequest } from '../../routes/route.ts'
import type { BegunRun } from './begin-run.ts'
import { toId } from './ids.ts'

/** The model that stands for the default one of the config. */
export const MODEL = 'svc'

/** A run that answers a request. */
export interface Begun extends BegunRun {
  /** What a run that goes on had used before. */
  before?: UsageTotal
}

/** What the answer is known by: the run, and where in it the answer begins. */
export const idOf = (prefix: string, { run, after }: Pick<Begun, 'run' | 'after'>): string =>
  toId(prefix, run.id, ...(after === 0 ? [] : [after]))

/** Begins what a request asks for, once for its `Idempotency-Key`, and answers it. */
export async function beginOnce(
  request: RouteRequest,
  begin: () => Promise<BegunRun>,
  answer: (begun: Begun) => Answer | Promise<Answer>,
): Promise<Answer> {
  let begun: Begun | undefined
  return answerOnce(
    request,
    async () => {
      const { run, after, headers } = await begin()
      begun = { run, after, headers, ...(after > 0 && { before: run.usage }) }
      return `${run.id} ${after}`
    },
    async (made) => {
      if (begun !== undefined) return answer(begun)
      const [id = '', after] = made.split(' ')
      return answer({ run: await request.context.runtime.runs.get(id), after: Number(after), headers: {} })
    },
  )
}

/** Which field of the client a field of the run comes from, by pointer; the first that fits is taken. */
export type FieldNames = readonly (readonly [of: RegExp, name: string])[]

const MODEL_CODES: ReadonlySet<string> = new Set(['unknown_provider', 'no_provider', 'model_not_found'])

/**
 * Names what is wrong with a run by the fields that the client sent.
 *
 * @param model that the client named
 * @throws NotFoundError `model_not_found` for a model that is not there; ValidationError; what was thrown
 */
export async function inWordsOfClient<Result>(
  work: () => Promise<Result>,
  model: string,
  names: FieldNames,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (!SvcError.isInstance(thrown)) throw thrown
    const { code, message } = thrown
    if (model !== MODEL && MODEL_CODES.has(code)) throw noModel(message.replace(/\.$/, ''))
    if (code !== 'validation_failed') throw thrown
    const errors = (thrown.errors ?? []).map((error) => ({ ...error, path: rename(error.path, names) }))
    const all = errors.map((error) => `${error.path} ${error.message}`).join('; ')
    throw new ValidationError(code, all === '' ? message : all, { errors })
  }
}

/** @param why the model is not there */
export function noModel(why: string): NotFoundError {
  const message = `${why}. "${MODEL}" is the default one, and GET /v1/models lists all`
  return new NotFoundError('model_not_found', message, { errors: [{ path: '/model', message }] })
}

function rename(path: string, names: FieldNames): string {
  const [of, name] = names.find(([pattern]) => pattern.test(path)) ?? []
  return of === undefined || name === undefined ? path : path.replace(of, name)
}
