import { STAGES, type TapInfo } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { renderTable } from '../render/table.ts'

/** `svc plugins`: which plugin answers which stage, and why? */
export default function plugins(context: CommandContext): Promise<number> {
  return context.use({ persist: false }, async ({ runtime, loaded }) => {
    const { taps, plugins: assembled } = await runtime.describe()
    const inSlots = new Set(
      Object.values(loaded?.slots ?? {}).flatMap((slot) => (slot === false ? [] : [slot.plugin.name])),
    )
    context.print({ plugins: assembled, taps }, (columns) => {
      const hooks = [
        ...STAGES,
        ...new Set(taps.map(({ hook }) => hook).filter((hook) => !(STAGES as readonly string[]).includes(hook))),
      ]
      const rows = hooks.flatMap((hook) => {
        const asked = taps.filter((tap) => tap.hook === hook)
        if (asked.length === 0) return [[hook, '', 'nobody', '', 'the stage is switched off', '']]
        return asked.map((tap, index) => [
          index === 0 ? hook : '',
          String(index + 1),
          tap.plugin,
          tap.source,
          why(tap, inSlots),
          tap.calls === 0 ? '' : `${(tap.totalMs / tap.calls).toFixed(2)} ms`,
        ])
      })
      const isUsed = taps.some(({ calls }) => calls > 0)
      const head = ['hook', 'turn', 'plugin', 'from', 'why', ...(isUsed ? ['mean'] : [])]
      return `${renderTable(
        head,
        rows.map((row) => row.slice(0, head.length)),
        columns,
      )}\nThe first plugin with an answer gives it; amending taps may change it.`
    })
    return 0
  })
}

/** Why a tap has its place in the order; `inSlots` are the plugins that the config put in place of defaults. */
export function why({ plugin, stage, mandatory, source }: TapInfo, inSlots: ReadonlySet<string>): string {
  if (mandatory) return 'mandatory: asked last, its answer stands'
  if (stage >= 1000) return 'amends the answer'
  if (stage < 0) return 'prepares, before anyone answers'
  if (inSlots.has(plugin)) return "stands in the default's slot"
  return source === 'built in' ? 'default: answers when nobody did before' : 'answers before the default'
}
