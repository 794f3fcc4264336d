import { STAND_INS } from '@pressel/contract/examples';
import { componentOf, type JsonSchema } from './json-schemas.ts';

/** Example values of named types. */
const BY_TYPE: Readonly<Record<string, unknown>> = {
  UserId: STAND_INS.userId,
  CallId: STAND_INS.callId,
  ChannelId: STAND_INS.channelId,
  ParticipantId: STAND_INS.socketId,
  MessageId: STAND_INS.messageId,
  GuestLinkId: STAND_INS.guestLinkId,
  Login: STAND_INS.login,
  Password: STAND_INS.password,
  NewPassword: STAND_INS.password,
  Token: STAND_INS.token,
};

/** Makes an example from a schema; objects get only their required fields. */
export function exampleOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): unknown {
  const name = componentOf(schema);
  if (name !== undefined) return BY_TYPE[name] ?? exampleOf(components[name] ?? {}, components);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [option] = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  if (option !== undefined) return exampleOf(option, components);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const required = schema.required ?? [];
      return Object.fromEntries(required.map((key) => [key, exampleOf(schema.properties?.[key] ?? {}, components)]));
    }
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [exampleOf(schema.items ?? {}, components)] : [];
    case 'string':
      return textOf(schema);
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

const textOf = ({ format }: JsonSchema): string => {
  if (format === 'uuid') return STAND_INS.userId;
  if (format === 'email') return STAND_INS.login;
  if (format === 'date-time') return '2026-11-22T15:00:00.000Z';
  return 'text';
};
