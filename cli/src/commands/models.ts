import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { renderTable } from '../render/table.ts'

/** `svc models`: which providers are there, and which models have they? */
export default async function models(context: CommandContext): Promise<number> {
  const { runtime, loaded } = await context.start({ persist: false })
  try {
    const { providers, defaultModel } = await runtime.describe()
    // A provider that is described and could not be made is named in a warning and nowhere else.
    const said = new Set((loaded?.warnings ?? []).map(({ message }) => message))
    for (const { code, message } of (await runtime.health()).warnings)
      if (code !== 'offline_provider' && !said.has(message)) context.io.err(toSafe(`svc: ${message}\n`))
    context.print({ defaultModel, providers }, (columns) => {
      const rows = providers.flatMap(({ id, models: known, source, defaultModel: own }) =>
        (known.length === 0 ? [{ id: own ?? '(any)' }] : known).map((model) => {
          const name = `${id}/${model.id}`
          const { context: window, price } =
            'context' in model || 'price' in model ? (model as (typeof known)[number]) : {}
          return [
            name === defaultModel ? '*' : '',
            name,
            window === undefined ? '' : `${window} tokens`,
            price === undefined ? '' : `$${price.input} in, $${price.output} out per million`,
            source,
          ]
        }),
      )
      return `${renderTable(['', 'model', 'context', 'price', 'from'], rows, columns)}\n* is used when a run names no other`
    })
    return 0
  } finally {
    await runtime.close()
  }
}
