import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { definePlugin, type LoadedConfig, type Plugin, RunError, type RunLock, type Tool } from '@svc/core'
import type { EditorFiles } from '../tools/files/editor/editor-files.ts'
import { addKeptPlaces, addSecretFiles } from '../tools/files/secret-files.ts'
import { isInside, realOf } from '../tools/files/workspace.ts'
import { builtinTools, createRecallTool, createRememberTool, ProgramRunner, toTool } from '../tools/index.ts'
import { createSkillTool, fitSkills, narrow } from '../tools/skill.ts'
import { databasePorts, findGuarded, findKeyFiles, findUnread, type KeptPlaces } from './guarded-files.ts'
import { createTrustedPrograms } from './trusted-programs.ts'

/**
 * The tools of a runtime as one plugin: the built-in ones, and over them those of config and folders.
 *
 * @param places which no tool may write to
 * @param editor that text files are read and written in
 * @param lock of a recorded run, which is to be offered the tools that it had
 */
export function assembleTools(
  loaded: LoadedConfig,
  workspace: string,
  env: EnvironmentVariables,
  places: KeptPlaces,
  editor: EditorFiles | undefined,
  lock?: RunLock,
): Plugin {
  const guarded = findGuarded(loaded, workspace, env, places)
  addSecretFiles(findKeyFiles(loaded, env))
  addKeptPlaces(findUnread(loaded, env, places))
  const { sandbox, sandboxImage, network, memoryMb, shell = false } = loaded.config.policy ?? {}
  const { listed: skills } = fitSkills(loaded.skills)
  const readable = skills.map(({ folder }) => folder).filter((folder) => !isInside(realOf(workspace), folder))
  const runner = new ProgramRunner({
    sandbox,
    sandboxImage,
    network,
    memoryMb,
    guarded,
    readable,
    closedPorts: databasePorts(loaded, env),
  })
  const trustedPrograms = createTrustedPrograms(loaded, workspace, env)
  const added = loaded.tools.map(({ id, config, source }) => ({
    id,
    source,
    tool: config === false ? undefined : toTool(id, config, { runner, programs: trustedPrograms(config, source) }),
  }))
  return definePlugin('tools', (host) => {
    const { memory } = host
    const remembering = loaded.slots.memory === false ? [] : [createRememberTool(memory), createRecallTool(memory)]
    const tools = new Map<string, { tool: Tool; source: string }>()
    const builtIn = builtinTools({ guarded, runner, shell, git: isInRepository(workspace), readable, editor })
    const reading = skills.length === 0 ? [] : [createSkillTool(skills)]
    for (const tool of [...builtIn, ...remembering, ...reading]) tools.set(tool.id, { tool, source: 'built in' })
    for (const { id, tool, source } of added) {
      if (tool === undefined) tools.delete(id)
      else tools.set(id, { tool, source })
    }
    if (skills.some(({ allowedTools }) => allowedTools !== undefined))
      host.hooks.toolRequest.tap('skills', (answer, call, run) => answer ?? narrow(skills, call, run))
    if (lock !== undefined) standIn(tools, lock.tools)
    for (const [id, { tool, source }] of tools) {
      // A plugin of the recorded run that is here too has brought its own.
      if (lock === undefined || host.tools.get(id) === undefined) host.tools.add(id, tool, source)
    }
  })()
}

/** Leaves the tools that a recorded run had, as it had them. What they returned is in the recording. */
function standIn(tools: Map<string, { tool: Tool; source: string }>, recorded: RunLock['tools']): void {
  const here = new Map(tools)
  tools.clear()
  for (const { id, description, parameters, risk, source } of recorded) {
    const own = here.get(id)
    const isSame = own?.tool.description === description && isDeepStrictEqual(own.tool.parameters, parameters)
    // What a tool of svc's own says of a call, such as which file it touches, decides how the policy sees it.
    const run = async (): Promise<never> => {
      throw new RunError('replay_diverged', `${id} is not run: it stands in for the tool of a recorded run`)
    }
    tools.set(id, own !== undefined && isSame ? own : { tool: { id, description, parameters, risk, run }, source })
  }
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Whether a folder or one above it holds `.git`. */
const isInRepository = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (folder !== dirname(folder) && isInRepository(dirname(folder)))
