import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { findPaths, plainPath } from '../../../text/calls/paths.ts'
import { findUrls, withoutUrls } from '../../../text/calls/urls.ts'

/** So many names are listed. */
const MOST = 100
const MAX_ANSWER = 200_000
const ADDRESS = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
/** A program with an argument, between backticks. */
const COMMAND = /`(?:\$ )?([a-z./][\w./-]{0,60} [^`\n]{1,200})`/g
const PROGRAMS =
  /^(?:git|gh|npm|npx|pnpm|yarn|node|deno|bun|tsc|eslint|prettier|biome|jest|vitest|python3?|pip3?|uv|poetry|pytest|tox|ruff|mypy|ruby|bundle|rake|php|composer|perl|java|mvn|gradle|dotnet|make|cmake|ninja|gcc|clang|cargo|rustc|go|docker|podman|kubectl|helm|terraform|ansible|aws|gcloud|az|systemctl|psql|mysql|sqlite3|redis-cli|curl|wget|ssh|scp|rsync|tar|unzip|apt(?:-get)?|brew|sudo|bash|sh|rm|mv|cp|ln|ls|cat|mkdir|touch|chmod|chown|sed|awk|grep|find|head|tail|wc|sort|diff|kill|\.{0,2}\/\S+)$/

/**
 * What an answer names and no call of the run touched: paths and URLs that neither an argument nor a result holds, addresses
 * and commands that no argument holds. Needs no grammar, so it works in every language.
 */
export function findUntouched(answer: string, calls: readonly Call[]): string[] {
  const text = answer.slice(0, MAX_ANSWER)
  const urls = findUrls(text)
  const paths = findPaths(withoutUrls(text))
  const addresses = text.match(ADDRESS) ?? []
  const commands = [...text.matchAll(COMMAND)]
    .map(([, command = '']) => command)
    .filter((line) => PROGRAMS.test(line.split(' ', 1)[0] ?? ''))
  if (urls.length + paths.length + addresses.length + commands.length === 0) return []
  const asked = toLower(calls.map(({ args, command }) => `${toPlainText(args)}\n${command}`))
  const seen = `${asked}\n${toLower(calls.map(({ printed }) => printed))}`
  const notRun = commands.filter((name) => !asked.includes(name.toLowerCase()))
  const isInCommand = (name: string): boolean => notRun.some((command) => command.split(' ').includes(name))
  const untouched = [
    ...[...paths, ...urls].filter((name) => !seen.includes(plainPath(name)) && !isInCommand(name)),
    ...addresses.filter((name) => !asked.includes(name.toLowerCase())),
    ...notRun,
  ]
  return [...new Set(untouched)].slice(0, MOST)
}

const toLower = (texts: readonly string[]): string => texts.join('\n').toLowerCase()
