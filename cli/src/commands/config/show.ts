import { redact } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { renderTable } from '../../render/table.ts'

const BOUNDS: Readonly<Record<string, string>> = {
  managed: 'nothing is looser than the managed file',
  tightening: 'nothing is looser than the untrusted folder',
}

/** `svc config show`: what is configured, and where does it come from? */
export default async function show(context: CommandContext): Promise<number> {
  const { config, files, origin, trusted, skipped, managed, tightening } = await context.load()
  const value = redact(config)
  const bounds = { ...(managed && { managed: redact(managed) }), ...(tightening && { tightening: redact(tightening) }) }
  context.print({ config: value, origin, files, trusted, skipped, ...bounds }, (columns) => {
    const rows = Object.entries(origin)
      .sort()
      .map(([pointer, source]) => [pointer, JSON.stringify(at(value, pointer)) ?? '', source])
    const also = Object.entries(bounds).map(([name, bound]) => `${BOUNDS[name]}: ${JSON.stringify(bound)}`)
    return [renderTable(['setting', 'value', 'from'], rows, columns, { free: ['value'] }), ...also].join('\n')
  })
  return 0
}

function at(value: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  )
}
