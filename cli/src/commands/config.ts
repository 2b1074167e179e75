import { redact } from '@svc/core'
import { causeOf, SEARCH_PLACES } from '@svc/core/config'
import type { CommandContext } from '../context.ts'
import { readAction } from '../read-action.ts'
import { describeFiles } from '../render/config-files.ts'
import { renderTable } from '../render/table.ts'

const ACTIONS = ['show', 'validate', 'path'] as const

const BOUNDS: Readonly<Record<string, string>> = {
  managed: 'nothing is looser than the managed file',
  tightening: 'nothing is looser than the untrusted folder',
}

/** `svc config show|validate|path`: what is configured, is it right, and where does it come from? */
export default async function config(context: CommandContext, [word = 'show']: string[]): Promise<number> {
  const action = readAction('config', word, ACTIONS)
  // What `validate` finds is its result.
  const loaded = await context.load({ saysProblems: action !== 'validate' })
  const { files, origin, trusted, skipped, problems, managed, tightening } = loaded
  if (action === 'path') {
    context.print({ files, skipped, searched: SEARCH_PLACES }, () =>
      files.length > 0
        ? files.join('\n')
        : skipped.length > 0
          ? describeFiles(loaded)
          : `no config file: looked for ${SEARCH_PLACES.join(', ')}`,
    )
    return 0
  }
  if (action === 'validate') {
    const broken = problems.map(({ file, error }) => ({ file, code: error.code, message: error.message }))
    context.print({ valid: broken.length === 0, files, trusted, problems: broken, skipped }, () =>
      broken.length === 0 ? `valid: ${describeFiles(loaded)}` : problems.map(causeOf).join('\n'),
    )
    return broken.length === 0 ? 0 : 3
  }
  const value = redact(loaded.config)
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
