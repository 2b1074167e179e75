import { NotFoundError, SvcError, type UsageTotal, ValidationError } from '@svc/core'
import type { Answer } from '../../../http/answer.ts'
import { answerOnce } from '../../../http/request/idempotency.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import type { BegunRun } from '../../shared/begin-run.ts'
import { MODEL } from './options.ts'

/** A run that answers a request. */
export interface Begun extends BegunRun {
  /** What a run that goes on had used before. */
  before?: UsageTotal
}

/** What the answer is known by: the run, and where in it the answer begins. */
export const idOf = (prefix: string, { run, after }: Pick<Begun, 'run' | 'after'>): string =>
  `${prefix}_${run.id.slice('run_'.length)}${after === 0 ? '' : `_${after}`}`

/** Begins what a request asks for, once for its `Idempotency-Key`, and answers it. */
export async function beginOnce(
  request: RouteRequest,
  begin: () => Promise<BegunRun>,
  answer: (begun: Begun) => Promise<Answer>,
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

const MODEL_CODES: ReadonlySet<string> = new Set(['unknown_provider', 'no_provider', 'model_not_found'])

/**
 * Names what is wrong with a run by the fields that the client sent.
 *
 * @param model that the client named
 * @param names which field of the client a field of the run comes from, by the beginning of its pointer
 * @throws NotFoundError `model_not_found` for a model that is not there; ValidationError; what was thrown
 */
export async function inWordsOfClient<Result>(
  work: () => Promise<Result>,
  model: string,
  names: Readonly<Record<string, string>>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (!SvcError.isInstance(thrown)) throw thrown
    const { code, message, errors = [] } = thrown
    if (model !== MODEL && MODEL_CODES.has(code)) {
      const wrong = `${message.replace(/\.$/, '')}. The model "${MODEL}" is the default one, and GET /v1/models lists all.`
      throw new NotFoundError('model_not_found', wrong, { errors: [{ path: '/model', message: wrong }] })
    }
    if (code !== 'validation_failed') throw thrown
    throw new ValidationError(code, message, {
      errors: errors.map((error) => ({ ...error, path: rename(error.path, names) })),
    })
  }
}

function rename(path: string, names: Readonly<Record<string, string>>): string {
  const [from, to] = Object.entries(names).find(([name]) => path === name || path.startsWith(`${name}/`)) ?? ['', '']
  return `${to}${path.slice(from.length)}`
}
