import type { ComponentChildren } from 'preact'

export interface FieldProps {
  label: string
  /** What was wrong with what was entered. */
  fault?: string | undefined
  note?: string | undefined
  children: ComponentChildren
}

/** A field with its name, and what was wrong with it right below. */
export function Field({ label, fault, note, children }: FieldProps) {
  return (
    <div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is what is put in */}
      <label>
        {label}
        {children}
        {note !== undefined && <span class="tiny">{note}</span>}
      </label>
      {fault !== undefined && (
        <p class="error-text" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
