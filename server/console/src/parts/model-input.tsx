import type { TargetedInputEvent } from 'preact'
import { useId } from 'preact/hooks'
import { useLoad } from '../session/use-load.ts'
import { Options } from './choice.tsx'
import type { ControlProps } from './field.tsx'

interface ModelInputProps extends ControlProps {
  name?: string
  value?: string
  defaultValue?: string
  onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void
}

/** The name of a model, `provider/model`, with those that are known to choose from. */
export function ModelInput(props: ModelInputProps) {
  const list = useId()
  const { value: info } = useLoad((from) => from.describe(), [])
  const names = info?.providers.flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`)) ?? []
  return (
    <>
      <input {...props} list={list} autocomplete="off" placeholder={info?.defaultModel ?? 'the default'} />
      <datalist id={list}>
        <Options of={names} />
      </datalist>
    </>
  )
}
