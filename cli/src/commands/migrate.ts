import { migrateStore } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'

/** `svc migrate`: brings the store to the format of this version, where it has another one. */
export default async function migrate(context: CommandContext): Promise<number> {
  const { before, format } = await migrateStore({ loaded: await context.load(), env: context.io.env })
  const said =
    before === format
      ? `the store has format ${format} already`
      : before === 0
        ? `made the tables of a new store, of format ${format}`
        : `brought the store from format ${before} to ${format}`
  context.print({ before, format }, () => said)
  return 0
}
