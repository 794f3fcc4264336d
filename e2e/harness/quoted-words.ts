import { type Language, type Say, sayIn } from './words.ts';

/** Texts that the owner's specification quotes, as it quotes them: for these, the product's own words are not the source. */
const QUOTED: Record<Language, Readonly<Record<string, string>>> = {
  fr: {
    'channels.empty.admin': 'Pas de canaux',
    'channels.form.nameRequired': 'Vérifier que tous les champs sont remplis.',
    'dashboard.last.all': 'Voir tout',
    'dashboard.top.noActivity': 'Pas d’activité encore.',
    'userForm.edit.failed': 'Coéquipier non modifié',
    'userForm.fault.empty': 'Vérifier que tous les champs sont remplis.',
    'userForm.fault.mismatch': 'Les deux mots de passe doivent être identiques.',
    'userForm.field.mapRight': 'Droit d’accès à la carte',
    'userForm.verify.wrong': 'Mot de passe incorrect',
    'chat.upload.fault.type': 'Fichier invalide',
  },
  en: {
    'activities.title': 'Activities List',
    'activityLog.delete.doneText': 'Activities were deleted successfully.',
    'activityLog.delete.menu.1w': 'Last week',
    'activityLog.delete.question': 'Are you sure you want to delete all activities before {{period}} ?',
    'app.logout.cancel': 'Let me back',
    'channels.create.done': 'Channel created successfully',
    'channels.delete.done': 'Channel has been deleted',
    'channels.edit.done': 'Channel updated successfully',
    'channels.empty.admin': 'No channels',
    'channels.form.nameRequired': 'Check all fields are not empty.',
    'channels.member.added': 'User Added To Channel',
    'channels.member.sure': 'Are you sure?',
    'chat.me': 'Me',
    'chat.upload.valid': 'Please enter a valid image file.',
    'dashboard.channels': 'Total Channels',
    'dashboard.users': 'Total Users',
    'positions.unknown.title': 'Unknown location',
    'shared.errors.duplicate_channel': 'Channel name already exists.',
    'transfer.sure.title': 'Are you sure?',
    'userForm.add.done': 'User added successfully',
    'userForm.add.failed': 'User not created',
    'userForm.edit.done': 'User updated successfully',
    'userForm.fault.empty': 'Check all fields are not empty.',
    'userForm.fault.mismatch': 'The two passwords must be identical.',
    'users.delete.confirm': 'Yes, delete it!',
    'users.delete.title': 'Are you sure?',
    'voice.tile.waiting': 'Waiting for users',
  },
  de: {},
};

/** The interface's words in a language; if the specification quotes them, the quotation. */
export const sayAsQuoted = (language: Language): Say =>
  sayIn(language, (sentence, key) => QUOTED[language][key] ?? sentence);
