La ciudad de Brenfeld inaugurará el 12 de mayo su primera línea nueva de tranvía en cuarenta años, según anunció el martes la alcaldesa.
El trazado, de 7,4 kilómetros, unirá la estación central con el hospital universitario y contará con once paradas.
Las obras costaron 186 millones de euros, alrededor de un 12 % más de lo previsto, sobre todo por la subida del precio del acero.
«Ya hemos esperado bastante», declaró Karin Albers, que lleva desde 1998 luchando por la línea.
Tras la primavera más seca desde que comenzaron los registros en 1881, los agricultores de la región prevén perder hasta un tercio de su cosecha de trigo.
Varios municipios ya han prohibido regar el césped entre las 8 y las 20 horas.
Se esperan lluvias para el fin de semana, pero los meteorólogos advierten de que no bastarán para volver a llenar los embalses.
Solo en junio, el precio de la harina subió un 4,8 %.
El museo a orillas del Danubio expone 120 cuadros de sus fondos que nunca antes se habían mostrado al público.
Entre ellos hay dos paisajes tempranos de un pintor cuyo nombre los comisarios aún desconocen.
La entrada cuesta 9 euros, o 6,50 con tarifa reducida; el primer domingo de cada mes es gratuita.
La exposición puede visitarse hasta el 17 de noviembre y después viajará a Linz.
—¿Has cerrado la puerta con llave? —Creía que la habías cerrado tú.
Genial. O sea que ha estado abierta toda la noche.
Espera… ¿Has oído eso?
¡Quienquiera que esté ahí abajo: tengo un perro y todavía no ha cenado!
Me tomas el pelo. ¿Cuarenta raciones para las siete?
—¿Dónde están las cebollas? —En la nevera, detrás de la leche. —¿Quién guarda las cebollas en la nevera?
¡No te quedes ahí parado, coge un cuchillo!
Si se quema la sopa, será culpa tuya.
—Mamá, ¿a qué distancia está la Luna? —A unos 384.000 kilómetros, cariño.
¿Y cuánto tardaría en llegar con mi bici?
Pues… si no paras nunca a hacer pipí, unos tres años.
Entonces será mejor que lleve muchos bocadillos.
Tengo estos auriculares desde hace tres meses y los uso al menos dos horas al día.
Por lo que cuestan, el sonido es magnífico, y la batería dura de verdad las 30 horas prometidas.
Eso sí, no esperes que sobrevivan a una caída sobre cemento: los míos se rajaron a la primera.
Un hotelito encantador a cinco minutos de la playa, llevado por una familia que no podría haber sido más amable.
El desayuno era abundante, aunque el café sabía como si lo hubieran hecho el día anterior.
Pagamos 89 € por noche y volveríamos mañana mismo.
Dos estrellas, porque limpia bien siempre que no se pierda debajo del sofá.
La aplicación quiere mi ubicación, mis contactos y mi fecha de nacimiento, ¡para una aspiradora!
El servicio de atención al cliente respondió a los nueve días con un enlace al manual.
Celebramos aquí los noventa años de mi abuela y hasta la sorprendieron con una tarta.
El arroz estaba en su punto, las gambas eran frescas y con las raciones come un equipo de fútbol entero.
Eso sí, hay que reservar con mucha antelación, y aparcar por la zona es una pesadilla.
No se ha podido abrir «%s»: otro programa está utilizando el archivo.
Elija Archivo > Guardar como… para guardar una copia con otro nombre.
%d de %d archivos copiados (quedan %s)
¿Seguro que quiere eliminar esta carpeta y todo su contenido? Esta acción no se puede deshacer.
La contraseña debe tener al menos 12 caracteres e incluir un número.
Hemos enviado un código de seis dígitos a %s. Es válido durante 10 minutos.
Active las notificaciones en Ajustes > Privacidad.
Se ha cerrado su sesión porque ha estado inactivo durante más de %d minutos.
La versión 4.2 está disponible. ¿Desea reiniciar ahora para instalar la actualización?
Arrastre aquí las fotos o haga clic en «Examinar» para seleccionarlas (JPEG o PNG, 20 MB como máximo cada una).
La impresora no tiene papel. Cargue papel A4 en la bandeja 2 y pulse Aceptar.
¡Gracias por ayudarnos a traducir esta aplicación!
