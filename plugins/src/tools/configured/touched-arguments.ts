import type { ToolConfig, ToolGlance, Touched } from '@svc/core'
import { type FileScope, resolveInside, touchedPaths } from '../files/workspace.ts'
import { namesIn, ownValue } from './template.ts'

type Args = Readonly<Record<string, unknown>>

/** What the arguments of a tool of a config touch. */
export interface ArgumentTouches {
  /** @throws PolicyError `path_outside_root`; ToolError `tool_bad_args` where the arguments make no command or address */
  find(args: Args, context: ToolGlance): Promise<Touched>
  /** @throws PolicyError where a path among the arguments leads out of the workspace, or the policy closes it */
  confine(args: Args, scope: FileScope): Promise<void>
}

/** Names that arguments have which are paths. */
const PATH_NAME = /path|file|folder|dir(?!ect)|source|target|dest/i

/**
 * Reads off a tool's config which arguments are paths and hosts. Where it does not say, each argument of a `command` may be a
 * path for the rules, and those whose names say so have to lie in the workspace; of `http`, the address says the host.
 *
 * @param fill makes the address and the command of a call
 * @returns undefined where a function decides and the config says nothing about it
 */
export function createTouches(
  { http, command, touches }: ToolConfig,
  fill: { url(args: Args): string; argv(args: Args): string[] },
): ArgumentTouches | undefined {
  if (http === undefined && command === undefined && touches === undefined) return undefined
  const mentioned = [...new Set((command ?? []).flatMap(namesIn))]
  const confined = touches?.paths ?? mentioned.filter((name) => PATH_NAME.test(name))
  const others = touches?.paths === undefined ? mentioned.filter((name) => !confined.includes(name)) : []
  return {
    async find(args, context) {
      const found = await Promise.all(textsOf(args, confined).map((path) => touchedPaths(context, path)))
      const paths = [...found.flatMap((one) => one.paths ?? []), ...textsOf(args, others)]
      const hosts = [...(http ? [fill.url(args)] : []), ...textsOf(args, touches?.hosts ?? [])]
      return { paths, hosts, ...(command && { command: fill.argv(args) }) }
    },
    async confine(args, scope) {
      for (const path of textsOf(args, confined)) await resolveInside(scope, path)
    },
  }
}

const textsOf = (args: Args, names: readonly string[]): string[] =>
  names.flatMap((name) => [ownValue(args, name)].flat()).filter((value) => typeof value === 'string')
