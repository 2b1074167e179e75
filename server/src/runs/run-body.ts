import { Run, RunOptions } from '@svc/core/schema'
import * as Type from 'typebox'

const { result: _result, ...listed } = Run.properties

/** A run as routes send it: its result, and its plan, only where they are asked for. */
export const RunBody = Type.Object({
  ...listed,
  result: Type.Optional(Type.Unknown({ description: 'with `include=result`: what the run returns' })),
  plan: Type.Optional(Type.Unknown({ description: 'with `include=plan`' })),
})

/** A run as it is sent where nobody asked for its result. */
export function toBody(run: Run, include: readonly string[] = []): Run {
  if (include.includes('result') || run.result === undefined) return run
  const { result: _, ...rest } = run
  return rest
}

export const Include = Type.Optional(
  Type.Array(Type.Enum(['result', 'usage', 'plan']), { description: 'comma separated: what comes with the run' }),
)

export const Wait = (maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description: 'milliseconds to wait for its end' }))

const executeOptions = {
  ...RunOptions.properties,
  waitMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 3_600_000, description: 'after so long the answer is 202; default 300 000' }),
  ),
}

export const ExecuteBody = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 200_000, description: '1 to 200 000 characters' }),
    mode: Type.Optional(
      Type.Enum(['execute', 'plan', 'analyze'], { description: 'how far the run goes; default execute' }),
    ),
    threadId: Type.Optional(Type.String()),
    onDisconnect: Type.Optional(Type.Enum(['continue', 'cancel'], { description: 'default cancel' })),
    ...executeOptions,
    options: Type.Optional(
      Type.Object(executeOptions, {
        additionalProperties: false,
        description:
          'the options of the run, which may also stand beside `task`, as in `POST /v1/runs`; each in one place',
      }),
    ),
  },
  { additionalProperties: false },
)

/** What the run returns; one that ended before it had anything to return says how. */
export const resultOf = ({ id, status, result, error }: Run): unknown =>
  result ?? { runId: id, status, ...(error && { error }) }
