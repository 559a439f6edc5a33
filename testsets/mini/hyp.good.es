El 12 de mayo, la ciudad de Brenfeld abrirá la primera línea nueva de tranvía en cuarenta años, anunció la alcaldesa el martes.
La ruta de 7,4 kilómetros conectará la estación principal con el hospital universitario y tendrá once paradas.
La construcción costó 186 millones de euros, cerca de un 12 % más de lo planeado, principalmente porque subió el precio del acero.
«Hemos esperado lo suficiente», dijo Karin Albers, que lleva desde 1998 haciendo campaña por la línea.
Tras la primavera más seca desde el inicio de los registros en 1881, los agricultores de la región esperan perder hasta un tercio de la cosecha de trigo.
Varios municipios ya prohibieron el riego del césped entre las 8:00 y las 20:00.
Se prevé que llueva el fin de semana, pero los meteorólogos avisan de que no será suficiente para volver a llenar los embalses.
Tan solo en junio, los precios de la harina subieron un 4,8 %.
El museo del Danubio exhibe 120 pinturas de su depósito que nunca se habían visto en público.
Entre ellos se encuentran dos paisajes tempranos de un pintor cuyo nombre los conservadores todavía no conocen.
La entrada vale 9 euros, 6,50 con descuento; el primer domingo de cada mes es gratis.
La exposición estará abierta hasta el 17 de noviembre y luego se trasladará a Linz.
—¿Cerraste la puerta con llave? —Pensaba que lo habías hecho tú.
Estupendo. Así que ha estado abierta toda la noche.
Espera, ¿oíste eso?
Quien sea que esté ahí abajo: ¡tengo un perro y aún no ha cenado!
No puede ser. ¿Cuarenta raciones para las siete?
—¿Dónde están las cebollas? —En el frigorífico, detrás de la leche. —¿Quién mete cebollas en el frigorífico?
¡No te quedes ahí, toma un cuchillo!
Si la sopa se quema, es culpa tuya.
—Mamá, ¿a cuánto está la Luna? —A unos 384.000 kilómetros, cielo.
¿Y cuánto tardaría con mi bicicleta?
Bueno… si nunca paras para hacer pipí, unos tres años.
Entonces más vale que prepare muchos bocadillos.
He tenido estos auriculares durante tres meses y los uso por lo menos dos horas al día.
El sonido es magnífico para el precio, y la batería realmente dura las 30 horas que prometen.
No esperes que sobrevivan a una caída sobre hormigón: los míos se agrietaron la primera vez.
Un hotel pequeño y precioso a cinco minutos de la playa, regentado por una familia que no pudo ser más amable.
El desayuno fue abundante, aunque el café sabía como si lo hubiesen preparado el día antes.
Pagamos 89 € la noche y volveríamos mañana.
Dos estrellas, porque aspira bien mientras no se pierda bajo el sofá.
La app quiere saber mi ubicación, mis contactos y mi fecha de nacimiento: ¡para un aspirador!
A los nueve días, atención al cliente contestó con un enlace al manual.
Celebramos aquí el nonagésimo cumpleaños de mi abuela e incluso la sorprendieron con un pastel.
El arroz estaba perfecto, las gambas frescas y las porciones alcanzarían para un equipo de fútbol.
Hay que reservar con bastante antelación, eso sí, y aparcar cerca es una pesadilla.
No se pudo abrir «%s»: el archivo está siendo usado por otro programa.
Seleccione Archivo > Guardar como… para guardar una copia con un nombre diferente.
%d de %d archivos copiados (%s restantes)
¿Está seguro de que desea eliminar la carpeta y todo lo que contiene? Esto no se puede deshacer.
Su contraseña debe tener un mínimo de 12 caracteres y contener un número.
Hemos enviado a %s un código de seis cifras. Es válido por 10 minutos.
Active las notificaciones en Configuración > Privacidad.
Se cerró la sesión porque estuvo más de %d minutos inactivo.
La versión 4.2 está disponible. ¿Reiniciar ahora e instalar la actualización?
Arrastre las fotos aquí o pulse «Examinar» para seleccionarlas (JPEG o PNG, hasta 20 MB cada una).
La impresora se ha quedado sin papel. Cargue papel A4 en la bandeja 2 y presione OK.
¡Gracias por ayudarnos a traducir esta app!
