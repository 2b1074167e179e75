import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { type Project, readSections } from './project.ts'
import { choose, numbersOf, type Question, squeeze } from './score.ts'

type Maker = (project: Project) => Question | undefined

const ask = (
  kind: string,
  wordings: readonly string[],
  by: string,
  right: Question['right'],
  wrong: Question['wrong'] = () => false,
): Question => ({ kind, text: choose(wordings, `${kind}${by}`) ?? '', right, wrong })

const has = (answer: string, text: string): boolean =>
  squeeze(answer.replaceAll('`', ''))
    .toLowerCase()
    .includes(squeeze(text.replaceAll('`', '')).toLowerCase())

/** Asks for something that the manifest says; the answer has to hold it to the letter. */
const manifestFact =
  (kind: string, wordings: (name: string) => readonly string[], truthOf: (project: Project) => unknown): Maker =>
  (project) => {
    const truth = truthOf(project)
    if (typeof truth !== 'string') return undefined
    return ask(kind, wordings(project.name), project.name, (answer) => has(answer, truth))
  }

const versionFact = manifestFact(
  'version',
  (name) => ['Which version of this package is this?', 'What version is it?', `What is the version of ${name}?`],
  ({ version }) => version,
)
const version: Maker = (project) => {
  const question = versionFact(project)
  return (
    question && {
      ...question,
      wrong: (answer) => {
        const said = /\bversion (?:is )?[`"]?v?(\d+\.\d+[\w.]*)/i.exec(answer)?.[1]
        return said !== undefined && said !== project.version
      },
    }
  )
}

const licence = manifestFact(
  'licence',
  (name) => [
    'Under which licence is it published?',
    `What license does ${name} use?`,
    'Which licence does this code have?',
  ],
  ({ license }) => license,
)

const purpose = manifestFact(
  'purpose',
  (name) => ['What does this package do?', `What is ${name} for?`, `What is ${name}?`],
  ({ description }) => description,
)

const entry = manifestFact(
  'entry',
  () => ['Which file is loaded when I require this package?', 'What is the entry file?', 'What is the main file?'],
  ({ name, folder, language }) =>
    language === 'npm' ? relative(folder, createRequire(join(folder, 'package.json')).resolve(name)) : undefined,
)

const needs: Maker = (project) => {
  const all = Object.entries((project.manifest.dependencies ?? {}) as Record<string, string>)
  const [name, range] = choose(all, project.name) ?? []
  const wordings = [`Which version of ${name} does it need?`, `Does it depend on ${name}, and in which version?`]
  return manifestFact(
    'dependency',
    () => wordings,
    () => range,
  )(project)
}

const engine = manifestFact(
  'engine',
  () => [
    'Which Node version does it need?',
    'Does it run on old versions of Node?',
    'What is the minimum Node version?',
  ],
  ({ manifest }) => (manifest.engines as Record<string, string> | undefined)?.node,
)

const typesFact = manifestFact(
  'types',
  () => ['Where are its TypeScript types?', 'Does it come with TypeScript types?', 'Which file holds the types?'],
  ({ manifest: { types, typings } }) => {
    const path = types ?? typings
    return typeof path === 'string' ? path.replace(/^\.\//, '') : undefined
  },
)

const todo: Maker = ({ name, files }) => {
  const count = (pattern: RegExp): number =>
    files.reduce((sum, { lines }) => sum + lines.filter((line) => pattern.test(line)).length, 0)
  const word = count(/\bFIXME/) > 0 && choose([true, false], name) ? 'FIXME' : 'TODO'
  const truths = new Set([
    count(new RegExp(`\\b${word}`)),
    count(new RegExp(`\\b${word}`, 'i')),
    count(new RegExp(`\\b${word}S?\\b`)),
  ])
  const isNone = [...truths].every((truth) => truth === 0)
  const wordings = [
    `How many ${word}s are left?`,
    `How many ${word} comments are there?`,
    `Count the ${word} notes in the code`,
  ]
  const right = (answer: string): boolean =>
    isNone
      ? /\bno\b|\bnone\b|\b0\b/.test(answer)
      : numbersOf(answer.split('\n')[0] ?? '').some((item) => truths.has(item))
  return ask(
    'todo',
    wordings,
    name,
    right,
    (answer) => !/^I could not/.test(answer) && !/at least/i.test(answer) && !right(answer),
  )
}

const DULL =
  /licen[cs]e|contribut|table of|contents|sponsor|badge|author|changelog|credits|support|^api$|^usage$|^features$|^example/i

/** How to do something that a section of the README is titled with, or that it alone shows in its code. */
function readmeOf({ files }: Project) {
  return files.find(({ path }) => /^readme(?:\.(?:md|rst))?$/i.test(path))
}

const howTo: Maker = (project) => {
  const readme = readmeOf(project)
  if (!readme) return undefined
  const plain = (title: string): string => title.replace(/[`*]|\[([^\]]*)\]\([^)]*\)|\(.*\)/g, '$1').trim()
  const sections = readSections(readme).filter(
    ({ title, level, from, to }) =>
      level > 1 &&
      to - from >= 3 &&
      !DULL.test(title) &&
      /^[\w\s'-]{4,40}$/.test(plain(title)) &&
      plain(title).split(' ').length <= 5,
  )
  const section = choose(sections, project.name)
  if (!section) return undefined
  const subject = plain(section.title).replace(/^[A-Z](?=[a-z])/, (char) => char.toLowerCase())
  const wordings = /ing\b/.test(subject.split(' ')[0] ?? '')
    ? [`How does ${subject} work?`, `What should I know about ${subject}?`]
    : [`How do I use the ${subject}?`, `How does the ${subject} work?`, `What do the docs say about ${subject}?`]
  return ask('how-to', wordings, project.name, citesInside(readme.path, section.from, section.to))
}

const howToUse: Maker = (project) => {
  const readme = readmeOf(project)
  if (!readme) return undefined
  const sections = readSections(readme).filter(({ level }) => level > 1)
  const usesOf = (from: number, to: number): string[] => [
    ...new Set(
      readme.lines
        .slice(from, to)
        .join('\n')
        .match(/(?<=\.)[a-z]\w{4,}(?=\()/g) ?? [],
    ),
  ]
  const found = sections.flatMap(({ from, to }) => {
    const rest = [...readme.lines.slice(0, from), ...readme.lines.slice(to)].join('\n')
    return usesOf(from, to)
      .filter((use) => !new RegExp(`\\b${use}\\b`).test(rest))
      .map((use) => ({ use, from, to }))
  })
  const one = choose(found, project.name)
  if (!one) return undefined
  const wordings = [
    `How do I use \`${one.use}\`?`,
    `Show me how to call ${one.use}()`,
    `Is there an example of ${one.use}?`,
  ]
  return ask('how-to-use', wordings, project.name, citesInside(readme.path, one.from, one.to))
}

/** Whether an answer cites a line of the section, behind something that is quoted. */
const citesInside =
  (path: string, from: number, to: number) =>
  (answer: string): boolean =>
    [...answer.matchAll(/[\w./-]+:(\d+)(?:-(\d+))?/g)].some(
      (match) => match[0].startsWith(`${path}:`) && Number(match[1]) <= to && Number(match[2] ?? match[1]) >= from,
    )

export const EASY: readonly Maker[] = [version, licence, purpose, entry, needs, engine, typesFact]
export const ABOUT_TEXTS: readonly Maker[] = [todo, howTo, howToUse]
export { ask, has, type Maker }
