import { expect, test } from 'vitest';
import type { Language } from '#src/shared/languages.ts';

const FILES = import.meta.glob<Record<string, unknown>>('../../locales/*/*.json', { eager: true, import: 'default' });

const textAt = (language: Language, namespace: string, key: string): unknown =>
  key
    .split('.')
    .reduce<unknown>((inner, part) => Object(inner)[part], FILES[`../../locales/${language}/${namespace}.json`]);

/** Texts that the owner's papers quote, in the language of the quotation. Users know them, so nobody rewords them in passing. */
const QUOTED: Readonly<Partial<Record<Language, Readonly<Record<string, Readonly<Record<string, string>>>>>>> = {
  en: {
    activities: { title: 'Activities List' },
    activityLog: {
      empty: 'No activities to display.',
      'delete.act': 'Delete',
      'delete.menu.1m': 'Last month',
      'delete.menu.2w': 'Last 2 weeks',
      'delete.menu.1w': 'Last week',
      'delete.question': 'Are you sure you want to delete all activities before {{period}} ?',
      'delete.done': 'Activities Deleted',
      'delete.doneText': 'Activities were deleted successfully.',
      'delete.failed': 'Failed to Delete Activities',
      'delete.failedText': 'There was an error while deleting activities.',
      'delete.error': 'Error',
      'delete.errorText': 'An error occurred while processing your request.',
    },
    app: { 'notFound.title': 'The page you are looking for does not exist.', 'logout.cancel': 'Let me back' },
    auth: { 'signIn.submit': 'Sign in', 'signIn.remember': 'Remember me', 'signUp.submit': 'Sign up' },
    channels: {
      'empty.admin': 'No channels',
      'form.nameRequired': 'Check all fields are not empty.',
      'create.done': 'Channel created successfully',
      'create.failed': 'Channel not created',
      'edit.done': 'Channel updated successfully',
      'edit.failed': 'Channel not updated',
      'edit.error': 'Error!',
      'delete.confirm': 'Yes, delete it!',
      'delete.done': 'Channel has been deleted',
      'delete.oops': 'Oops...',
      'delete.wrong': 'Something went wrong!',
      'delete.again': 'Please try again.',
      'member.sure': 'Are you sure?',
      'member.added': 'User Added To Channel',
      'member.removed': 'User Deleted from Channel',
      'member.removeFailed': 'User not deleted',
      'here.title': 'Users in {{name}}',
      noMembers: 'No users in this channel',
    },
    chat: {
      me: 'Me',
      'delete.title': 'Are you sure?',
      'delete.oops': 'Oops...',
      'delete.wrong': 'Something went wrong!',
      'delete.again': 'Please try again.',
      'upload.valid': 'Please enter a valid image file.',
    },
    dashboard: { users: 'Total Users', channels: 'Total Channels' },
    forms: { 'fault.invalidEmail': 'Invalid email.' },
    positions: { 'unknown.title': 'Unknown location' },
    shared: {
      cancel: 'Cancel',
      'errors.duplicate_channel': 'Channel name already exists.',
      'picker.noUsers': 'No users',
      'picker.noChannels': 'No channels',
    },
    exports: {
      'buttons.model': 'Download model',
      'file.users': 'Liste_coéquipiers',
      'file.channels': 'Liste_canaux',
      'file.model': 'model',
    },
    transfer: {
      'sure.title': 'Are you sure?',
      'done.failed': 'Something went wrong!',
      'done.again': 'Please try again',
    },
    userForm: {
      'add.done': 'User added successfully',
      'add.failed': 'User not created',
      'edit.done': 'User updated successfully',
      'verify.failed': 'Something went wrong!',
      'fault.empty': 'Check all fields are not empty.',
      'fault.mismatch': 'The two passwords must be identical.',
    },
    users: {
      empty: 'No users',
      'delete.title': 'Are you sure?',
      'delete.confirm': 'Yes, delete it!',
      'failed.oops': 'Oops...',
      'failed.wrong': 'Something went wrong!',
      'failed.again': 'Please try again',
      'disconnect.done': 'User disconnected from all devices successfully',
      'disconnect.failed': 'Failed to disconnect user from all devices',
    },
    members: { empty: 'No users in this channel' },
    voice: { 'tile.waiting': 'Waiting for users' },
  },
  fr: {
    channels: { 'empty.admin': 'Pas de canaux', 'form.nameRequired': 'Vérifier que tous les champs sont remplis.' },
    dashboard: { 'last.all': 'Voir tout', 'top.noActivity': 'Pas d’activité encore.' },
    exports: { 'file.users': 'Liste_coéquipiers', 'file.channels': 'Liste_canaux', 'file.model': 'model' },
    userForm: {
      'edit.failed': 'Coéquipier non modifié',
      'fault.empty': 'Vérifier que tous les champs sont remplis.',
      'fault.mismatch': 'Les deux mots de passe doivent être identiques.',
      'field.mapRight': 'Droit d’accès à la carte',
      'verify.wrong': 'Mot de passe incorrect',
    },
    users: { empty: 'Pas de coéquipiers' },
  },
  de: {
    exports: { 'file.users': 'Liste_coéquipiers', 'file.channels': 'Liste_canaux', 'file.model': 'model' },
  },
};

const rows = Object.entries(QUOTED).flatMap(([language, namespaces]) =>
  Object.entries(namespaces).flatMap(([namespace, texts]) =>
    Object.entries(texts).map(([key, text]) => [language as Language, namespace, key, text] as const),
  ),
);

test.each(rows)('in %s %s has for %s the quoted text', (language, namespace, key, text) => {
  expect(textAt(language, namespace, key)).toBe(text);
});
